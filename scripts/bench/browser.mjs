import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Starts a browser that is as quick as that of a reader. Playwright opens the debugger's `Runtime`, with which V8 reads a file that is
 * as large as Swagger UI four times more: for the places in the stack of an error that one of its modules makes and drops.
 */
export async function startBrowser() {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-bench-browser-'));
  const child = spawn(
    process.env.HOUMAO_CHROMIUM ?? '/usr/bin/chromium',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--window-size=1280,900',
      '--remote-debugging-pipe',
      `--user-data-dir=${folder}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'exit');
  const broken = ended.then(([code]) => {
    throw new Error(`The browser exited with ${code}.`);
  });
  broken.catch(() => {});
  const send = overPipe(child.stdio[3], child.stdio[4], broken);
  return {
    /** Resolves with the id of a profile that has no files yet. */
    newReader: async () => (await send('Target.createBrowserContext')).browserContextId,
    openTab: (browserContextId) => openTab(send, browserContextId),
    close: async () => {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Messages in both directions are JSON, each with a zero byte behind it. */
function overPipe(to, from, broken) {
  const waiting = new Map();
  let last = 0;
  let rest = '';
  from.setEncoding('utf8').on('data', (chunk) => {
    const messages = (rest + chunk).split('\0');
    rest = messages.pop();
    for (const { id, result, error } of messages.map((text) => JSON.parse(text)))
      if (error) waiting.get(id)?.reject(new Error(error.message));
      else waiting.get(id)?.resolve(result);
  });
  return (method, params, sessionId) => {
    last += 1;
    const id = last;
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return Promise.race([answer, broken]).finally(() => waiting.delete(id));
  };
}

async function openTab(send, browserContextId) {
  const { targetId } = await send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
  });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  await send('Performance.enable', { timeDomain: 'threadTicks' }, sessionId);
  return {
    navigate: (url) => send('Page.navigate', { url }, sessionId),
    /** Resolves with what an expression resolves with in the page. */
    evaluate: async (expression) => {
      const { result, exceptionDetails } = await send(
        'Runtime.evaluate',
        { expression, awaitPromise: true, returnByValue: true },
        sessionId,
      );
      if (exceptionDetails) throw new Error(result.description);
      return result.value;
    },
    /** Resolves with the processor time of the page's thread, in milliseconds. */
    processor: async () => {
      const { metrics } = await send('Performance.getMetrics', {}, sessionId);
      return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
    },
    close: () => send('Target.closeTarget', { targetId }),
  };
}
