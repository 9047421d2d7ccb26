import { browser, type MakePlugin, type PageElement, type System } from './swagger.js';

/**
 * Opens the operation that a link leads to, in this window, and brings it into sight: Swagger UI reads the address only when it
 * starts, opens links in another window, and adds two entries to the history for each operation that a link opens.
 */
export const links: MakePlugin = () => ({
  statePlugins: {
    layout: {
      wrapActions: {
        parseDeepLinkHash: (_original, system) => (hash: string) => open(system, hash),
        scrollToElement: () => (element: PageElement) => element.scrollIntoView(),
      },
    },
  },
});

/** Follows links of the page, and the buttons of the browser that go back and forward. */
export function followLinks(system: System): void {
  // The browser would scroll to where the page was before its parts were drawn.
  browser.history.scrollRestoration = 'manual';
  browser.addEventListener('hashchange', () => open(system, decodeURIComponent(browser.location.hash)));
  browser.document.addEventListener('click', (event) => {
    const anchor = event.target.closest('a[href^="#/"]')?.getAttribute('href');
    // The head of an operation opens and closes it.
    if (anchor === null || anchor === undefined || event.target.closest('.opblock-summary, .opblock-tag'))
      return;
    event.preventDefault();
    goTo(anchor);
  });
}

/** @param hash the fragment of an operation or of a tag; of anything else nothing is opened. */
function open({ getStore, layoutActions }: System, hash: string): void {
  const [, tag, operation] = /^#\/([^/]+)(?:\/(.+))?$/.exec(hash) ?? [];
  if (tag === undefined) return;
  // Past the actions of Swagger UI, which would write the address again.
  const show = (...thing: string[]): void => {
    getStore().dispatch({ type: 'layout_show', payload: { thing, shown: true } });
  };
  show('operations-tag', tag);
  if (operation !== undefined) show('operations', tag, operation);
  // It is drawn, and open, by then.
  browser.setTimeout(() => {
    const head = browser.document.getElementById(idOf(tag, operation));
    if (head === null)
      layoutActions.scrollTo(
        operation === undefined ? ['operations-tag', tag] : ['operations', tag, operation],
      );
    else bringIntoSight(head);
  });
}

const idOf = (tag: string, operation: string | undefined): string =>
  operation === undefined ? `operations-tag-${tag}` : `operations-${tag}-${operation}`;

/** Brings a part of the page into sight, with the focus at its first control, so that Tab goes on from there. */
function bringIntoSight(part: PageElement): void {
  part.closest('details')?.setAttribute('open', '');
  part.scrollIntoView();
  (part.querySelector('button') ?? part).focus({ preventScroll: true });
}

/** @param anchor the fragment of an operation, or the id of another part of the page. */
export function goTo(anchor: string): void {
  const part = anchor.startsWith('#/') ? null : browser.document.getElementById(anchor);
  if (part !== null) bringIntoSight(part);
  else if (browser.location.hash !== anchor) browser.location.hash = anchor;
  // The address leads there already: it was scrolled away, or closed.
  else browser.dispatchEvent(new Event('hashchange'));
}
