/** An event of `text/event-stream`. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: data of every shape.
  readonly data: any;
}

/** Reads a stream of events as a browser does, until it ends or the caller leaves the loop. */
export async function* readStream(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): AsyncGenerator<StreamedEvent> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`it answered ${response.status}`);
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        text = text.slice(end + 2);
        const data = fields.get('data');
        if (data !== undefined)
          yield { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(data) };
      }
    }
  } finally {
    leaving.abort();
  }
}

/** Reads a stream to its end. */
export async function wholeStream(...given: Parameters<typeof readStream>): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of readStream(...given)) events.push(event);
  return events;
}
