import { makeSession } from '../../test/torture/session.mjs';
import { startBrowser } from './browser.mjs';
import { startGateway, startServer } from './processes.mjs';
import { median, milliseconds, table } from './report.mjs';

const runs = 10;
const limitMilliseconds = 1000;
const surfaces = [
  { name: 'a gateway', start: startGateway, operation: 'submitRequest' },
  { name: 'the managed-agent server', start: startServer, operation: 'submitAgentRequest' },
];

/** The docs pages in a real browser: when their first operation stands, and what an operation that is opened takes. */
export async function page({ say }) {
  for (const surface of surfaces) await pageOf(surface, say);
}

async function pageOf({ name, start, operation }, say) {
  const session = await makeSession('bench');
  const served = await start(session);
  const browser = await startBrowser();
  try {
    const seen = [];
    for (let run = 0; run < runs; run += 1) {
      say(`the page of ${name}, reader ${run + 1} of ${runs}`);
      seen.push(await read(browser, `${served.url}/docs/`, operation));
    }
    const row = (what, key, limit) => {
      const times = seen.map((one) => one[key]);
      return [what, milliseconds(median(times)), milliseconds(Math.max(...times)), limit];
    };
    const limit = milliseconds(limitMilliseconds);
    console.log(
      table(
        [`the page of ${name}`, `median of ${runs}`, 'slowest', 'limit, on a quiet machine'],
        [
          row('first visit → the first operation stands', 'first', limit),
          row('the same → it can be opened', 'ready', ''),
          row('processor of its thread until then', 'processor', ''),
          row('second visit, of a browser that has its files: stands', 'second', limit),
          row('the same: can be opened', 'secondReady', ''),
          row('third visit, of a browser that has them compiled: can be opened', 'thirdReady', ''),
          row('an operation opened → its form stands, processor', 'opened', ''),
        ],
      ),
    );
  } finally {
    await browser.close();
    await served.stop();
    session.remove();
  }
}

/** Resolves in the page when an expression is true, with the time since the navigation. */
const when = (expression) => `new Promise((resolve) => {
  const look = () => (${expression} ? resolve(performance.now()) : requestAnimationFrame(look));
  look();
})`;
const firstOperation = when(`document.querySelector('.opblock')?.getBoundingClientRect().height > 0`);
/** Swagger UI has taken the place of the outline. */
const firstButton = when(`document.querySelector('.opblock button') !== null`);
/** Swagger UI and the page's plugins draw more of it meanwhile. */
const allOperations = when(
  `document.querySelectorAll('.opblock button').length > 0 &&
    document.querySelectorAll('.opblock').length === document.querySelectorAll('nav li').length`,
);

/** The visits of one reader. */
async function read(browser, url, operation) {
  const reader = await browser.newReader();
  const first = await visit(browser, reader, url);
  const second = await visit(browser, reader, url);
  const third = await visit(browser, reader, url, (tab) => open(tab, operation));
  return {
    first: first.time,
    ready: first.ready,
    processor: first.processor,
    second: second.time,
    secondReady: second.ready,
    thirdReady: third.ready,
    opened: third.opened,
  };
}

async function visit(browser, reader, url, then) {
  const tab = await browser.openTab(reader);
  const before = await tab.processor();
  await tab.navigate(url);
  const time = await tab.evaluate(firstOperation);
  const ready = await tab.evaluate(firstButton);
  const processor = (await tab.processor()) - before;
  const opened = await then?.(tab);
  await tab.close();
  return { time, ready, processor, opened };
}

async function open(tab, operation) {
  await tab.evaluate(allOperations);
  const block = `document.querySelector('.opblock[id$="-${operation}"]')`;
  const before = await tab.processor();
  await tab.evaluate(`${block}.querySelector('.opblock-summary-control').click()`);
  await tab.evaluate(when(`${block}.querySelector('.execute') !== null`));
  return (await tab.processor()) - before;
}
