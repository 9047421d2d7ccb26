import {
  anchorOf,
  byTag,
  type ContractDocument,
  type PlacedOperation,
} from '../contract/document/contract-document.js';
import { browser, type Component, type Drawn, type KeyPress, type React } from './swagger.js';

/** Draws all operations by their tags, with the one that is in sight marked; in a narrow window behind a button. */
export function contents(React: React, document: ContractDocument): Component {
  const { createElement } = React;
  const tags = byTag(document);
  return () => {
    const [isOpen, setOpen] = React.useState(false);
    const [present, setPresent] = React.useState<string | null>(null);
    React.useEffect(() => watchPresent(setPresent), []);
    React.useEffect(showPresent, [present]);
    const closed = ({ key }: KeyPress): void => {
      if (key !== 'Escape' || !isOpen) return;
      setOpen(false);
      browser.document.getElementById(buttonId)?.focus();
    };
    return createElement(
      'div',
      { className: 'contents', onKeyDown: closed },
      createElement(
        'button',
        {
          id: buttonId,
          type: 'button',
          className: 'contents-button',
          'aria-controls': listId,
          'aria-expanded': isOpen,
          onClick: () => setOpen(!isOpen),
        },
        'Contents',
      ),
      createElement(
        'nav',
        {
          id: listId,
          'aria-label': 'Operations',
          className: isOpen ? 'is-open' : '',
          // A link in it was followed.
          onClick: ({ target }: { target: { closest(selector: string): unknown } }) => {
            if (target.closest('a') !== null) setOpen(false);
          },
        },
        ...tags.map(({ name, operations }) => tagOf(React, name, operations, present)),
      ),
    );
  };
}

const [buttonId, listId] = ['contents-button', 'contents'];

const tagOf = (
  { createElement }: React,
  tag: string,
  operations: readonly PlacedOperation[],
  present: string | null,
): Drawn =>
  createElement(
    'details',
    { key: tag, open: true },
    createElement('summary', null, tag),
    createElement(
      'ul',
      null,
      ...operations.map(({ method, operation }) =>
        createElement(
          'li',
          { key: operation.operationId },
          createElement(
            'a',
            {
              href: anchorOf(operation),
              ...(blockId(operation) === present && { 'aria-current': 'location' }),
            },
            createElement('span', { className: `method method-${method}` }, shortMethods[method] ?? method),
            createElement('span', null, operation.summary ?? operation.operationId),
          ),
        ),
      ),
    ),
  );

const shortMethods: Readonly<Record<string, string>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  delete: 'DEL',
};

/** Returns the id that Swagger UI gives the block of an operation. */
const blockId = ({ tags = [], operationId }: PlacedOperation['operation']): string =>
  `operations-${tags[0]}-${operationId}`;

/** The place of the head of an operation, in pixels below the upper edge of the window. */
export interface Placed {
  readonly id: string;
  readonly top: number;
}

/** The window over the page. */
export interface View {
  readonly height: number;
  /** Where a part that a link leads to has its upper edge, or a little below. */
  readonly line: number;
  /** Whether the page cannot be scrolled on. */
  readonly atEnd: boolean;
  /** The operation that a link led to. */
  readonly linked: string | null;
}

/**
 * Decides which operation a reader is at: the last whose head is at the line or above it. Where the page cannot be scrolled on, it
 * is the one that a link led to, if it is in sight.
 */
export function presentOf(
  operations: readonly Placed[],
  { height, line, atEnd, linked }: View,
): string | null {
  const led = operations.find(({ id }) => id === linked);
  if (atEnd && led !== undefined && led.top >= 0 && led.top < height) return led.id;
  return operations.findLast(({ top }) => top <= line)?.id ?? null;
}

/** Calls `tell` with the id of the operation in sight, now and whenever the page is scrolled or another one is opened. */
function watchPresent(tell: (id: string | null) => void): () => void {
  const { document } = browser;
  let waiting = false;
  const look = (): void => {
    waiting = false;
    const operations = [...document.querySelectorAll('.opblock')].map((block) => ({
      id: block.id,
      top: block.getBoundingClientRect().top,
    }));
    const { scrollHeight } = document.documentElement;
    const present = presentOf(operations, {
      height: browser.innerHeight,
      line: roomAbove() + 16,
      atEnd: browser.innerHeight + browser.scrollY >= scrollHeight - 1,
      linked: `operations-${decodeURIComponent(browser.location.hash).slice(2).replaceAll('/', '-')}`,
    });
    tell(present);
  };
  const soon = (): void => {
    if (!waiting) browser.requestAnimationFrame(look);
    waiting = true;
  };
  const kinds = ['scroll', 'hashchange', 'resize'] as const;
  for (const kind of kinds) browser.addEventListener(kind, soon);
  soon();
  return () => {
    for (const kind of kinds) browser.removeEventListener(kind, soon);
  };
}

/** The height of what stands over the upper edge of the page. */
const roomAbove = (): number =>
  Number.parseFloat(browser.getComputedStyle(browser.document.documentElement).scrollPaddingTop) || 0;

/** Scrolls the contents, and nothing else, to the link that is marked. */
function showPresent(): undefined {
  const list = browser.document.getElementById(listId);
  const link = list?.querySelector('[aria-current]');
  if (!list || !link) return;
  const [frame, { top, bottom }] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
  if (top < frame.top) list.scrollTop -= frame.top - top;
  else if (bottom > frame.bottom) list.scrollTop += bottom - frame.bottom;
}
