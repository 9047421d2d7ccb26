// Loaded into the gateway under test before its own code: on SIGUSR2 it collects garbage and appends what is left to the
// file named in HOUMAO_HOSTILE_MEMORY. It changes nothing else.
const { appendFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  // Twice: what finalizers let go of falls in the second.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, rss, external, arrayBuffers } = process.memoryUsage();
  appendFileSync(
    process.env.HOUMAO_HOSTILE_MEMORY,
    `${JSON.stringify({ heapUsed, rss, external, arrayBuffers })}\n`,
  );
});
