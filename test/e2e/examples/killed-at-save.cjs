// Loaded into the bridge before its own code: it dies at one save of its state, as at `kill -9`. KILLED_AT_SAVE has the number of that
// save since the start, and whether the process dies before or after it: `2 before`. It changes nothing else.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const [number, moment] = process.env.KILLED_AT_SAVE.split(' ');
const rename = fs.renameSync;
let saves = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
  // The signal may come a moment later: nothing more is done until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

fs.renameSync = (...given) => {
  saves += 1;
  const isThis = saves === Number(number);
  if (isThis && moment === 'before') die();
  rename(...given);
  if (isThis) die();
};
syncBuiltinESMExports();
