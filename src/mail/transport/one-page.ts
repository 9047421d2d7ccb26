import type { MailPage } from './mail-transport.js';

/** All pages as one. */
export async function onePage(pages: AsyncIterable<MailPage>): Promise<MailPage> {
  const all: MailPage = { messages: [], damaged: [] };
  for await (const { messages, damaged } of pages) {
    all.messages.push(...messages);
    all.damaged.push(...damaged);
  }
  return all;
}
