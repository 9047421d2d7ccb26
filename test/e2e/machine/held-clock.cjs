// Loaded into a gateway before its own code: while the file that HELD_CLOCK names is there, no time passes for what it measures, so no
// limit of its own is reached, however busy the machine is. Its timers go on.
const { existsSync } = require('node:fs');

const now = performance.now.bind(performance);
/** So long it was held in all, and since when it is; null while it is not. */
let held = 0;
let since = null;

performance.now = () => {
  const real = now();
  if (existsSync(process.env.HELD_CLOCK)) since ??= real;
  else if (since !== null) {
    held += real - since;
    since = null;
  }
  return (since ?? real) - held;
};
