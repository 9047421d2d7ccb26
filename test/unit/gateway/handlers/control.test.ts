import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../../../src/foundation/open-database.js';
import { type IdleGateway, idleGateway } from '../../../support/idle-gateway.js';
import { FakeTerminal } from '../../../support/terminal/fake-terminal.js';

let idle: IdleGateway;
let terminal: FakeTerminal;
beforeEach(async () => {
  idle = await idleGateway();
  terminal = new FakeTerminal();
  Object.defineProperty(idle.gateway.target, 'terminal', { value: terminal });
});
afterEach(() => idle.close());

const type = (sequence: string) => idle.ask('POST', '/v1/control/send-keys', { sequence });

test('keys that were typed are reported so while another program holds the database locked', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const other = openDatabase(idle.session.paths.queue);
  const typed = terminal.type.bind(terminal);
  vi.spyOn(terminal, 'type').mockImplementation(async (segments) => {
    await typed(segments);
    other.exec('BEGIN IMMEDIATE');
  });
  try {
    expect(await type('a<[Enter]>')).toMatchObject({ status: 200, body: { action: 'control_input' } });
    expect(terminal.typed).toEqual([{ text: 'a' }, { key: 'Enter' }]);
    expect(idle.gateway.events.watch.fault?.code).toBe('locked');
  } finally {
    other.close();
  }
});

test('of keys whose terminal was lost a header says that nobody knows how many were typed', async () => {
  terminal.lostAfter = 1;
  const { status, body, headers } = await type('a<[Enter]>');
  expect([status, body.detail, headers.get('x-houmao-done'), headers.get('retry-after')]).toEqual([
    503,
    expect.stringMatching(/terminal was lost/),
    'unknown',
    null,
  ]);
});

test('of keys that cannot be sent none was typed', async () => {
  const { status, headers } = await type('a<[F1]>');
  expect([status, headers.get('x-houmao-done'), terminal.typed]).toEqual([422, null, []]);
});
