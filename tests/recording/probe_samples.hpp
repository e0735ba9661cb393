#pragma once
// One small probe in each format.

namespace kokkosort::test {

inline const char* const kilosort_json = R"({"chanMap": [3, 1, 0], "xc": [0.0, 16.5, 0], "yc": [0, 20, 40.0],
 "kcoords": [0.0, 0, 1], "n_chan": 4}
)";

// As ProbeInterface 0.4.2 writes it, less the contacts' shapes of which there are none here.
inline const char* const probeinterface_json = R"({
    "specification": "probeinterface",
    "version": "0.4.2",
    "probes": [
        {
            "ndim": 2,
            "si_units": "um",
            "annotations": {"name": "pair", "manufacturer": "us"},
            "contact_annotations": {},
            "contact_positions": [[0.0, 0.0], [0.0, 25.0], [10.0, 50.0], [250.0, 0.0]],
            "contact_plane_axes": [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]],
                                   [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]],
            "contact_shapes": ["circle", "circle", "circle", "circle"],
            "contact_shape_params": [{"radius": 6}, {"radius": 6}, {"radius": 6}, {"radius": 6}],
            "device_channel_indices": [2, -1, 0, 5],
            "contact_ids": ["a", "b", "c", "d"],
            "shank_ids": ["0", "0", "0", "1"]
        },
        {
            "ndim": 2,
            "si_units": "mm",
            "contact_positions": [[0.0, 0.0], [0.0, 0.1]],
            "device_channel_indices": [7, 6],
            "shank_ids": ["", ""]
        }
    ],
    "probe_ids": ["0", "1"]
}
)";

inline const char* const prb = R"("""A probe
of two shanks."""
# written by hand
total_nb_channels = 12; radius = 100.
channel_groups = {
    # the left shank
    1: {
        'channels': list(range(4, 7)),
        'graph': [(4, 5), [5, 6]],
        'geometry': {4: (0, 0), 5: [0, +20.5], 6: (1e1, -40), 99: (0, 0)},
        "label" : None,
    },
    3: {
        'channels': (0, 2), 'geometry': [(200., .5), (200, 20)], 'dead': True, 'note': "it's \"fine\"",
    },
}
)";

}  // namespace kokkosort::test
