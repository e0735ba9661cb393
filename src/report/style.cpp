#include "report/style.hpp"

namespace kokkosort {

const std::string_view report_style = R"css(
:root { color-scheme: light dark; --ink: #1b2430; --muted: #57626f; --paper: #ffffff; --panel: #f4f6f8;
  --line: #cdd5dc; --good: #0b62a3; --other: #b0500a; --warn: #fff3d6; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6eaee; --muted: #a2aeba; --paper: #11151a; --panel: #1a2028; --line: #3a4551;
    --good: #6cb6ff; --other: #f2a25c; --warn: #3a2f12; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 84rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
h1 { margin: 0; font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin: 0 0 .5rem; font-size: 1.15rem; }
h3 { margin: 0 0 .4rem; font-size: 1rem; }
p { max-width: 46rem; }
header p { margin: .2rem 0 0; }
section { margin-top: 2rem; }
.muted, figcaption { color: var(--muted); font-size: .85rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .6rem; margin: 1.2rem 0; }
.tiles div { padding: .6rem .8rem; border-radius: .5rem; background: var(--panel); }
.tiles dt { color: var(--muted); font-size: .85rem; }
.tiles dd { margin: 0; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; font-size: .9rem; margin: 0; }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.warnings { margin: 1.2rem 0; padding: .7rem 1rem .7rem 2rem; border-radius: .5rem; background: var(--warn);
  overflow-wrap: anywhere; }
.maps { display: grid; grid-template-columns: 1fr 2fr; gap: 1rem; }
figure { margin: 0; min-width: 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: .8rem; }
.card { padding: .8rem; border: 1px solid var(--line); border-radius: .5rem; break-inside: avoid; }
.card:target { outline: 2px solid var(--good); }
.card dl { display: grid; grid-template-columns: auto auto; gap: 0 1rem; margin: 0 0 .4rem; font-size: .85rem; }
.card dl div { display: flex; justify-content: space-between; gap: .5rem; }
.card dt { color: var(--muted); }
.card dd { margin: 0; white-space: nowrap; font-variant-numeric: tabular-nums; }
.badge { float: right; font-size: .85rem; font-weight: 600; }
.badge.good { color: var(--good); }
.badge.other { color: var(--other); }
.drawings { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; }
svg { display: block; width: 100%; height: auto; }
svg text { font-size: 10px; fill: var(--muted); }
svg .below { text-anchor: middle; dominant-baseline: hanging; }
svg .left { text-anchor: end; dominant-baseline: central; }
svg .right { text-anchor: start; dominant-baseline: central; fill: var(--ink); }
svg .end { text-anchor: end; }
svg path, svg polyline { fill: none; }
.axis { stroke: var(--muted); stroke-width: .7; }
.contact { stroke: var(--muted); stroke-width: 3.4; stroke-linecap: square; opacity: .55; }
circle.good { fill: var(--good); fill-opacity: .6; stroke: var(--good); stroke-width: .8; }
circle.other { fill: none; stroke: var(--other); stroke-width: 1.8; pointer-events: all; }
.spike { stroke: var(--ink); stroke-linecap: round; }
.size0 { stroke-width: 1.6; opacity: .4; }
.size1 { stroke-width: 2; opacity: .5; }
.size2 { stroke-width: 2.5; opacity: .65; }
.size3 { stroke-width: 3.2; opacity: .85; }
.trace { stroke: var(--muted); stroke-width: 1; stroke-linejoin: round; }
.largest { stroke: var(--good); stroke-width: 1.8; }
svg .channel { font-size: 7.5px; }
.scale { stroke: var(--ink); stroke-width: 1.4; }
.bar { stroke: var(--good); stroke-width: 1.2; }
.point { stroke: var(--good); stroke-width: 1.8; stroke-linecap: round; opacity: .6; }
@media (max-width: 45rem) {
  body { padding: .8rem; }
  .maps { grid-template-columns: 1fr; }
  .map svg text { font-size: 18px; }
  .map:first-child svg { max-width: 22rem; margin: 0 auto; }
  .map:first-child svg text { font-size: 11px; } }
@media print {
  @page { margin: 12mm; }
  body { padding: 0; max-width: none; }
  .cards { grid-template-columns: 1fr 1fr; }
  figure, .warnings { break-inside: avoid; } }
)css";

}  // namespace kokkosort
