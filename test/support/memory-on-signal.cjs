// Loaded into a gateway before its own code: on SIGUSR2 it collects garbage and appends what is left to a file in the
// gateway's root. It changes nothing else.
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');

const root = process.argv[process.argv.indexOf('--gateway-root') + 1];
if (process.argv.includes('--gateway-root')) {
  process.on('SIGUSR2', () => {
    // Twice: what finalizers let go of falls in the second.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, rss, external } = process.memoryUsage();
    appendFileSync(join(root, 'memory.jsonl'), `${JSON.stringify({ heapUsed, rss, external })}\n`);
  });
}
