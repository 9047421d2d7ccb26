// Loaded into a gateway or a server before its own code: on SIGUSR2 it collects garbage and appends what is left to a file in its
// root. It changes nothing else.
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');

const flag = ['--gateway-root', '--root'].find((name) => process.argv.includes(name));
if (flag !== undefined) {
  const root = process.argv[process.argv.indexOf(flag) + 1];
  process.on('SIGUSR2', () => {
    // Twice: what finalizers let go of falls in the second.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, rss, external } = process.memoryUsage();
    appendFileSync(join(root, 'memory.jsonl'), `${JSON.stringify({ heapUsed, rss, external })}\n`);
  });
}
