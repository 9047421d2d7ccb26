// The bridge of examples/mail-bridge/, set up line by line as its README says.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@houmao/sdk/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { addressAt } from '../../support/jmap/accounts.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../support/jmap/cyrus-server.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { startTalking } from '../../support/talking-program.js';
import { standinProgram } from '../../support/test-session.js';
import { commandsIn } from '../docs/newcomer/command-blocks.js';
import { usePrivateTmux } from '../recovery/private-tmux.js';

const folderOf = fileURLToPath(new URL('../../../examples/mail-bridge/', import.meta.url));
const bridgeHere = 'bridge@houmao.localhost';
const author = 'author@houmao.localhost';

describe('a bridge', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  const tmux = usePrivateTmux();
  const home = mkdtempSync(join(tmpdir(), 'houmao-bridge-'));
  const environment = managerEnvironment(home);
  let server: CyrusServer;
  const names = ['author', 'reviewer', 'bridge-here', 'bridge-there'];
  const readme = readFileSync(join(folderOf, 'README.md'), 'utf8');
  /** The commands of the README, for this server. */
  const commands = () =>
    commandsIn(readme, 'README.md').map(({ text }) =>
      text
        .replaceAll('https://mail.example.org/jmap', server.jmapUrl)
        .replaceAll('example.org', 'example.test')
        .replaceAll('~/', `${home}/`)
        .replace(/ --subject .*/, (words) => words.replaceAll('"', "'")),
    );
  const words = (command: string): string[] =>
    [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

  const run = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await manage(environment, args);
    expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
    return stdout;
  };
  const json = async (...args: string[]) => JSON.parse(await run([...args, '--json']));
  /** Takes up the command of the README that runs it. */
  const startBridge = (more: NodeJS.ProcessEnv = {}) => {
    const [, file = '', ...args] = words(commands().find((text) => text.startsWith('node ')) ?? '');
    return startTalking(join(folderOf, '../..', file), { ...environment, ...more }, args);
  };
  const readyBridge = async () => {
    const bridge = startBridge();
    await bridge.saying(/Ctrl-C stops/);
    return bridge;
  };
  const mailIn = async (agent: string, box: string, subject: string) =>
    (await json('agents', 'mail', 'list', agent, '--box', box, '--include-body')).messages.filter(
      (message: { subject: string }) => message.subject.endsWith(subject),
    );
  const arrivedAt = async (agent: string, subject: string) => [
    ...(await mailIn(agent, 'inbox', subject)),
    ...(await mailIn(agent, 'archive', subject)),
  ];
  const send = (agent: string, to: string, subject: string) =>
    json('agents', 'mail', 'send', agent, '--to', to, '--subject', subject, '--body-content', 'Is it right?');

  beforeAll(async () => {
    const users = { reviewer: 'reviewer-pw', bridge: 'bridge-pw', stranger: 'stranger-pw' };
    server = await startCyrus(
      Object.fromEntries(Object.entries(users).map(([name, pw]) => [addressAt(name), pw])),
    );
    for (const name of ['reviewer', 'bridge'] as const) {
      const file = join(home, `${name}.json`);
      writeFileSync(file, JSON.stringify({ password: users[name] }), { mode: 0o600 });
    }
    mkdirSync(join(home, 'work'));
    const claude = join(home, '.programs', 'claude');
    writeFileSync(
      claude,
      `#!/bin/sh\nHOUMAO_STANDIN_MAIL=1 exec ${process.execPath} ${standinProgram} "$@"\n`,
    );
    chmodSync(claude, 0o755);
    environment.PATH = [dirname(process.execPath), environment.PATH].join(delimiter);
    for (const command of commands()) {
      const [program, , ...args] = words(command);
      if (program === 'npx' && !args.includes('send')) await run(args);
    }
  });
  afterAll(async () => {
    for (const name of names) await manage(environment, ['agents', 'stop', name]);
    await server.stop();
    tmux.remove();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  const gatewayOf = (agent: string) => connect({ agent, registryRoot: join(home, 'registry') });
  /** How many turns mail brought about, once the agent has dealt with all of it. */
  const wokenTurns = async (agent: string): Promise<number> => {
    const client = await gatewayOf(agent);
    const isDone = async () => {
      const { active_execution: execution, queue_depth: queued } = await client.getStatus();
      const { message_count: left } = await client.listMail({ body: { box: 'inbox' } });
      return [execution, queued, left];
    };
    await expect.poll(isDone).toEqual(['idle', 0, 0]);
    const { events } = await client.listEvents({ query: { limit: 200 } });
    return events.filter(({ kind, data }) => kind === 'turn_claimed' && data.origin === 'notifier').length;
  };

  test('lets an agent in a folder and one on a mail server work through a question, each woken once', async () => {
    const agents = ['author', 'reviewer'];
    const before = await Promise.all(agents.map(wokenTurns));
    await readyBridge();
    const question = commands().find((text) => text.includes('mail send')) ?? '';
    const [, , ...args] = words(question);
    const { message: asked } = await json(...args);

    await expect.poll(() => mailIn('author', 'archive', 'The parser')).toHaveLength(1);
    const [answer] = await mailIn('author', 'archive', 'The parser');
    expect(answer).toMatchObject({
      subject: 'Re: The parser',
      thread_ref: asked.thread_ref,
      sender: { address: bridgeHere },
      body_text: `The stand-in has read "The parser" and has nothing to add.\n\n-- \nPassed on by ${bridgeHere} from ${addressAt('reviewer')}.`,
    });
    const [reviewed] = await mailIn('reviewer', 'archive', 'The parser');
    expect(reviewed).toMatchObject({
      subject: 'The parser',
      answered: true,
      sender: { address: addressAt('bridge') },
      body_text: `Is it right?\n\n-- \nPassed on by ${addressAt('bridge')} from ${author}.`,
    });
    expect(await Promise.all(agents.map(wokenTurns))).toEqual(before.map((count) => count + 1));
  });

  const stateOf = (): { begun: Record<string, object>; threads: object[] } => {
    const file = join(home, 'mail-bridge.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { begun: {}, threads: [] };
  };

  test('that is killed at any moment passes each message on once', { timeout: 180_000 }, async () => {
    const subjects = Array.from({ length: 6 }, (_, at) => `Re: number ${at}`);
    for (const subject of subjects) await send('author', bridgeHere, subject);
    const preload = fileURLToPath(new URL('./killed-at-save.cjs', import.meta.url));
    // How many are left in the inbox, and how many of these are begun. From `2 before` on, one is on the other side already.
    const moments = { '1 before': [6, 0], '1 after': [6, 1], '2 before': [6, 1], '2 after': [6, 1] };
    for (const [moment, left] of Object.entries({ ...moments, '3 before': [5, 0], '3 after': [4, 0] })) {
      const bridge = startBridge({ NODE_OPTIONS: `--require ${preload}`, KILLED_AT_SAVE: moment });
      expect(await bridge.ended).toBeNull();
      const waiting: { message_ref: string }[] = await mailIn('bridge-here', 'inbox', '');
      const begun = waiting.filter(({ message_ref: ref }) => `mail-bridge-${ref}` in stateOf().begun);
      expect([moment, waiting.length, begun.length]).toEqual([moment, ...left]);
    }
    await readyBridge();
    const numbered = async () =>
      (await arrivedAt('reviewer', ''))
        .map(({ subject }) => subject)
        .filter((subject) => subject.startsWith('Re: number'))
        .sort();
    await expect.poll(numbered).toEqual(subjects);
    await expect.poll(() => mailIn('bridge-here', 'inbox', '')).toEqual([]);
    // The mail behind them has been passed on, too, and nothing again.
    await send('author', bridgeHere, 'Re: number 9');
    await expect.poll(numbered).toEqual([...subjects, 'Re: number 9']);
  });

  const sendFiles = (agent: string, to: string, subject: string, ...files: string[]) =>
    json(
      ...['agents', 'mail', 'send', agent, '--to', to, '--subject', subject, '--body-content', ''],
      ...files.flatMap((file) => ['--attach', file]),
    );
  /** Makes a file that can be attached. */
  const fileAt = (...way: string[]): string => {
    const file = join(home, ...way);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `what is in ${file}`);
    return file;
  };

  test('takes files along, both ways, and names those that stay behind', async () => {
    const kept = fileAt('work', 'kept.txt');
    const gone = fileAt('work', 'gone.txt');
    const changed = fileAt('work', 'changed.txt');
    const elsewhere = fileAt('work', 'sub', 'elsewhere.txt');
    const key = fileAt('workshop', 'id_ed25519');
    await sendFiles('author', bridgeHere, 'Re: five files', kept, gone, changed, elsewhere, key);
    rmSync(gone);
    writeFileSync(changed, 'something else');
    // The same content, but by a way that leads out of the folder.
    renameSync(dirname(elsewhere), join(home, 'sub'));
    symlinkSync(join(home, 'sub'), dirname(elsewhere));
    await readyBridge();
    await expect.poll(() => arrivedAt('reviewer', 'five files')).toHaveLength(1);
    const [there] = await arrivedAt('reviewer', 'five files');
    expect(there.attachments.map(({ label }: { label: string }) => label)).toEqual(['kept.txt']);
    expect(there.body_text).toContain(
      'These files stayed behind: gone.txt, changed.txt, elsewhere.txt, id_ed25519.',
    );
    const [{ attachment_id: id }] = there.attachments;
    const which = ['--message-ref', there.message_ref, '--attachment-id', id];
    const { path } = await json('agents', 'mail', 'attachment', 'reviewer', ...which);
    expect(readFileSync(path, 'utf8')).toBe(`what is in ${kept}`);
    await sendFiles('reviewer', addressAt('bridge'), 'Re: a file back', path);
    await expect.poll(() => arrivedAt('author', 'a file back')).toHaveLength(1);
    const [back] = await arrivedAt('author', 'a file back');
    expect(readFileSync(back.attachments[0].locator, 'utf8')).toBe(`what is in ${kept}`);
  });

  test('keeps a message whose mailbox is busy, and passes on no file of a folder unasked', async () => {
    const file = fileAt('work', 'busy.txt');
    await sendFiles('author', bridgeHere, 'Re: a busy time', file);
    const [message] = await mailIn('bridge-here', 'inbox', 'a busy time');
    const client = await gatewayOf('bridge-here');
    const { filesOf } = await import(join(folderOf, 'passed-files.mjs'));
    const files = (...folders: string[]): Promise<object> => filesOf(message, { client }, folders);
    const index = openDatabase(join(home, 'mail', 'index.sqlite'));
    index.exec('BEGIN EXCLUSIVE');
    try {
      await expect(files(join(home, 'work'))).rejects.toThrow('has held the database');
    } finally {
      index.close();
    }
    expect(await files(join(home, 'work'))).toEqual({
      files: [{ path: file, label: 'busy.txt' }],
      behind: [],
    });
    expect(await files()).toEqual({ files: [], behind: ['busy.txt'] });
    rmSync(file);
    mkdirSync(file);
    expect(await files(join(home, 'work'))).toEqual({ files: [], behind: ['busy.txt'] });
    await run(['agents', 'mail', 'archive', 'bridge-here', '--message-ref', message.message_ref]);
  });

  test('names a message that cannot go, once, and goes on the other way', async () => {
    await send('author', bridgeHere, 'Re: stuck');
    await send('author', bridgeHere, 'Re: behind it');
    const [{ message_ref: ref }] = await mailIn('bridge-here', 'inbox', 'stuck');
    const state = stateOf();
    const begun = {
      to: [addressAt('reviewer')],
      subject: 'stuck',
      body_content: '',
      attachments: [{ path: join(home, 'taken away since') }],
    };
    state.begun[`mail-bridge-${ref}`] = { operation: 'sendMail', body: begun };
    writeFileSync(join(home, 'mail-bridge.json'), JSON.stringify(state));
    const bridge = await readyBridge();
    const named = /^not now: "Re: stuck" of author@houmao\.localhost: .*cannot be read \(ENOENT\)/gm;
    for (const subject of ['Re: one back', 'Re: another back']) {
      await send('reviewer', addressAt('bridge'), subject);
      await expect.poll(() => arrivedAt('author', subject), { timeout: 30_000 }).toHaveLength(1);
    }
    expect(bridge.output().match(named)).toHaveLength(1);
    expect(await arrivedAt('reviewer', 'behind it')).toEqual([]);
    await run([
      'agents',
      'mail',
      'move',
      'bridge-here',
      '--message-ref',
      ref,
      '--destination-box',
      'refused',
    ]);
    await expect.poll(() => arrivedAt('reviewer', 'behind it'), { timeout: 30_000 }).toHaveLength(1);
  });

  test('passes on what its two agents send, and nothing that came through it before', async () => {
    const bridge = await readyBridge();
    await server.deliver(
      addressAt('stranger'),
      [addressAt('bridge')],
      `From: ${addressAt('stranger')}\nSubject: hello\n\nx`,
    );
    await bridge.saying(
      /stays in the inbox of bridge@example\.test: "hello" \(it is of stranger@example\.test/,
    );
    const auth = Buffer.from(
      JSON.stringify({
        block: null,
        auth: { scheme: 'none', token: null, iss: `mail-bridge x@y ${bridgeHere}`, iat: null, exp: null },
      }),
    ).toString('base64url');
    const raw = `From: ${addressAt('reviewer')}\nSubject: round\nX-Houmao-Notify: ${auth}\n\nx`;
    await server.deliver(addressAt('reviewer'), [addressAt('bridge')], raw);
    await bridge.saying(/"round" \(it came this way before\)/);
    expect(await mailIn('bridge-there', 'inbox', '')).toHaveLength(2);
    bridge.child.kill('SIGINT');
    expect(await bridge.ended).toBe(0);
  });
});
