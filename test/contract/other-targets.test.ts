import { describe, expect, test } from 'vitest';
import { bundle, operations } from './support/bundle.js';
import { bindMailServer, unservedRefs } from './support/edit-manifest.js';
import { serve } from './support/served.js';

const mail = operations.filter(({ path }) => path.startsWith('/v1/mail/'));
const tui = operations.filter(({ path }) => path.startsWith('/v1/control/tui/'));

describe('a headless agent without a mailbox', () => {
  const served = serve();

  test('takes no raw keys: 422, in words', async () => {
    const { status, body } = await served.ask('POST', '/v1/control/send-keys', { sequence: '<[Escape]>' });
    expect([status, body.detail]).toEqual([422, expect.stringContaining('headless')]);
  });

  test.each([
    [{}, 'missing', 'sequence'],
    [{ sequence: '  ' }, 'value_error', 'sequence'],
    [{ sequence: 'x', escape_special_keys: 'no' }, 'bool_type', 'escape_special_keys'],
    [{ sequence: 'x', schema_version: 1 }, 'extra_forbidden', 'schema_version'],
  ])('refuses the keys %j by their shape first', async (body, type, name) => {
    const answer = await served.ask('POST', '/v1/control/send-keys', body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ type, loc: ['body', name] }]);
  });

  test.each(tui)('answers $method $path with 422', async ({ method, path, body }) => {
    const answer = await served.ask(method, path, body ?? undefined);
    expect([answer.status, answer.body.detail]).toEqual([422, expect.stringContaining('headless')]);
  });

  test('refuses a prompt note with a blank prompt, or a limit that is no number, by its shape', async () => {
    const note = await served.ask('POST', '/v1/control/tui/note-prompt', { prompt: ' ' });
    expect(note.body.detail).toMatchObject([{ loc: ['body', 'prompt'] }]);
    const version = await served.ask('POST', '/v1/control/tui/note-prompt', {
      prompt: 'x',
      schema_version: 1,
    });
    expect(version.body.detail).toMatchObject([{ type: 'extra_forbidden', loc: ['body', 'schema_version'] }]);
    const history = await served.ask('GET', '/v1/control/tui/history?limit=many');
    expect(history.body.detail).toMatchObject([{ type: 'int_parsing', loc: ['query', 'limit'] }]);
    for (const limit of ['0', '-5']) {
      expect(typeof (await served.ask('GET', `/v1/control/tui/history?limit=${limit}`)).body.detail).toBe(
        'string',
      );
    }
  });

  test.each(mail)('answers $method $path with 422: no binding', async ({ method, path, body }) => {
    const answer = await served.ask(method, path, body ?? undefined);
    expect([answer.status, answer.body.detail]).toEqual([422, expect.stringContaining('no mailbox binding')]);
  });

  test('reports its notifier as unsupported, and switching it off is fine', async () => {
    const read = await served.ask('GET', '/v1/mail-notifier');
    expect(read.status).toBe(200);
    expect(read.body).toMatchObject({
      enabled: false,
      interval_seconds: null,
      mode: 'any_inbox',
      supported: false,
      support_error: expect.stringContaining('no mailbox binding'),
    });
    expect(Object.keys(read.body).sort()).toEqual(
      Object.keys(bundle.components.schemas.NotifierStatus.properties).sort(),
    );
    const off = await served.ask('DELETE', '/v1/mail-notifier');
    expect([off.status, off.body]).toEqual([200, read.body]);
    const on = await served.ask('PUT', '/v1/mail-notifier', { interval_seconds: 60 });
    expect([on.status, on.body.detail]).toEqual([422, expect.stringContaining('no mailbox binding')]);
  });

  test.each([
    [{}, 'missing', ['body', 'interval_seconds']],
    [{ interval_seconds: 0 }, 'greater_than', ['body', 'interval_seconds']],
    [{ interval_seconds: 60, enabled: false }, 'value_error', ['body', 'enabled']],
    [{ interval_seconds: 60, appendix_text: null }, 'string_type', ['body', 'appendix_text']],
    [{ interval_seconds: 60, mode: 'all' }, 'literal_error', ['body', 'mode']],
  ])('refuses the notifier %j by its shape first', async (body, type, loc) => {
    const answer = await served.ask('PUT', '/v1/mail-notifier', body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ type, loc }]);
  });
});

describe('a gateway that listens on every address', () => {
  const served = serve(() => undefined, { host: '0.0.0.0' });

  test.each(mail)('answers $method $path with 503', async ({ method, path, body }) => {
    const answer = await served.ask(method, path, body ?? undefined);
    expect([answer.status, answer.body.detail]).toEqual([503, expect.stringContaining('0.0.0.0')]);
  });

  test('says so in its status', async () => {
    expect((await served.ask('GET', '/v1/status')).body.gateway_host).toBe('0.0.0.0');
  });

  test('cannot tell its agent of mail: each prompt would name routes that answer 503', async () => {
    const why = 'Mail is only served by a gateway that listens on 127.0.0.1; this one listens on 0.0.0.0.';
    const answer = await served.ask('PUT', '/v1/mail-notifier', { interval_seconds: 60 });
    expect([answer.status, answer.body.detail]).toEqual([422, why]);
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await served.ask(method, '/v1/mail-notifier');
      expect([status, body]).toMatchObject([200, { enabled: false, supported: false, support_error: why }]);
    }
  });
});

describe('an agent with a mailbox on a mail server', () => {
  const served = serve(({ paths }) => bindMailServer(paths));

  test.each(mail)(
    'answers $method $path with 502 while nobody serves there',
    async ({ method, path, body }) => {
      const ours = JSON.stringify(body ?? null)
        .replace(/"attachments":\[[^\]]*\]/, '"attachments":[]')
        .replace(/filesystem:([\w-]+)/g, (_, id) => unservedRefs.message(id));
      const note = path.endsWith('/post') ? { reply_policy: 'none' } : {};
      const given = body === null ? undefined : { ...JSON.parse(ours), ...note };
      const answer = await served.ask(method, path, given);
      expect([answer.status, answer.body.detail]).toEqual([
        502,
        expect.stringContaining('cannot be reached'),
      ]);
      expect(JSON.stringify(answer)).not.toContain('secret-1');
    },
  );

  test('learns how an operator writes to it', async () => {
    const note = { subject: 'a note', body_content: '' };
    const { status, body } = await served.ask('POST', '/v1/mail/post', note);
    expect([status, body.detail]).toEqual([422, expect.stringMatching(/^reply_policy must be "none"/)]);
  });

  test('still refuses what breaks the contract', async () => {
    const { status, body } = await served.ask('POST', '/v1/mail/mark', { message_refs: ['m1'] });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ msg: 'at least one of read, answered or archived must be set' }]);
  });
});
