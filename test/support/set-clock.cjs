// Loaded into a program before its own code: its wall clock is off by the milliseconds in the file SET_CLOCK, as on a machine whose
// clock is set. What it measures and its timers go on, as they do there.
const { readFileSync } = require('node:fs');

const Real = Date;
let offset = 0;
function look() {
  try {
    offset = Number(readFileSync(process.env.SET_CLOCK, 'utf8'));
  } catch {
    offset = 0;
  }
}
look();
setInterval(look, 50).unref();

class SetDate extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + offset);
    else super(...given);
  }
  static now() {
    return Real.now() + offset;
  }
}
globalThis.Date = SetDate;
