/** An event of a stream, as the browsers' `EventSource` reads it; `data` is JSON. */
export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** After this time without an event, a stream shows that it lives: its next page is empty. */
export const quietSeconds = 15;

/**
 * An answer of `text/event-stream`: pages, each as the operation gives it as JSON, and the events of a page. A page without events
 * shows only that the stream lives.
 */
export class EventStream<Page> {
  readonly pages: AsyncIterable<Page>;
  readonly #eventsOf: (page: never) => readonly ServerSentEvent[];

  private constructor(pages: AsyncIterable<Page>, eventsOf: (page: Page) => readonly ServerSentEvent[]) {
    this.pages = pages;
    this.#eventsOf = eventsOf;
  }

  /**
   * Makes the stream of the pages that a caller would get one by one.
   * @param next returns the page behind another one, once it has events or {@link quietSeconds} have passed; null where nothing comes
   * any more.
   * @param signal ends the stream.
   */
  static of<Page>(
    first: Page,
    {
      next,
      eventsOf,
      signal,
    }: {
      next: (before: Page) => Promise<Page | null>;
      eventsOf: (page: Page) => readonly ServerSentEvent[];
      signal: AbortSignal;
    },
  ): EventStream<Page> {
    return new EventStream(pagesFrom(first, next, signal), eventsOf);
  }

  eventsOf(page: Page): readonly ServerSentEvent[] {
    return this.#eventsOf(page as never);
  }
}

async function* pagesFrom<Page>(
  first: Page,
  next: (before: Page) => Promise<Page | null>,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  for (let page: Page | null = first; page !== null; page = await next(page)) {
    yield page as Awaited<Page>;
    if (signal.aborted) return;
  }
}
