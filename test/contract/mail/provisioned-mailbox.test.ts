// A mailbox on a mail server as a launch opens it: an imitation of Stalwart's management before a real mail server.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bindServerMailbox } from '../../../src/launch/late-mailbox.js';
import { LaunchFault, LaunchRefused } from '../../../src/launch/launch-fault.js';
import { credentialRef, openServerMailbox } from '../../../src/launch/server-mailbox.js';
import { durableCredential } from '../../../src/session/session-secrets.js';
import { type CyrusServer, cyrusNeed, hasCyrus, startCyrus } from '../../support/jmap/cyrus-server.js';
import { json } from '../../support/jmap/scripted-server.js';
import {
  type ImitatedStalwart,
  imitatedStalwart,
  managementToken,
} from '../../support/jmap/stalwart-server.js';
import { hostIn } from '../../support/launch-host.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { makeSession } from '../../support/test-session.js';

const folder = temporaryFolder();
const management = { HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN: managementToken };
const names = { tool: 'claude', role: 'tester', identity: 'HOUMAO-alpha' };
let counter = 0;

describe('a mailbox on a mail server', { skip: !hasCyrus, meta: { needs: cyrusNeed } }, () => {
  let mail: CyrusServer;
  beforeAll(async () => {
    mail = await startCyrus({});
  });
  afterAll(() => mail.stop());

  describe.each(['0.15', '0.16'] as const)('with the management of Stalwart %s', (version) => {
    let server: ImitatedStalwart;
    let address: string;
    beforeEach(async () => {
      server = await imitatedStalwart({ version, mail });
      counter += 1;
      address = `agent${counter}@example.test`;
    });
    afterEach(async () => {
      await server.stop();
      expect(server.wrong).toEqual([]);
    });
    const requested = (more: object = {}) => ({
      jmapUrl: `${server.url}/jmap`,
      managementUrl: `${server.url}/api`,
      address,
      principalId: null,
      loginIdentity: null,
      credentialFile: null,
      ...more,
    });
    const open = (host = hostIn(folder, management), more: object = {}) =>
      openServerMailbox(requested(more), names, host);
    const place = (ref: string) => durableCredential(join(folder, 'runtime'), ref);
    const make = version === '0.15' ? /^POST/ : /Account\/set/;

    test('is made, its credential kept by its owner alone, and both are used from then on', async () => {
      // A launch that was killed left what may be no password any more.
      const left = `${place(credentialRef(`${server.url}/jmap`, address))}.left.tmp`;
      mkdirSync(dirname(left), { recursive: true });
      writeFileSync(left, '{}');
      const { binding, stays } = await open();
      expect(binding).toMatchObject({
        transport: 'stalwart',
        address,
        login_identity: address,
        principal_id: 'HOUMAO-alpha',
        jmap_url: `${server.url}/jmap`,
        management_url: `${server.url}/api`,
      });
      const path = place(binding.credential_ref);
      expect(stays).toBe(`the account ${address} on its mail server, with its credential in ${path}`);
      const password = server.passwords.get(address)!;
      expect(password).toMatch(/^[\w-]{32}$/);
      const content = { credential_ref: binding.credential_ref, login_identity: address, password };
      expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(content, null, 2)}\n`);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(
        readdirSync(dirname(path)).filter((name) => name.startsWith(`${binding.credential_ref}.json.`)),
      ).toEqual([]);

      server.asked.length = 0;
      expect((await open()).stays).toBeNull();
      // Also without what makes accounts.
      await open(hostIn(folder));
      expect([server.asked, server.passwords.get(address)]).toEqual([[], password]);
    });

    test('is made once by launches at the same time', async () => {
      const opened = await Promise.all([open(), open(), open()]);
      expect(server.asked.filter((call) => /Account\/set|PATCH|POST/.test(call)).length).toBe(
        version === '0.15' ? 2 : 1,
      );
      expect(opened.filter(({ stays }) => stays !== null).length).toBe(1);
      const kept = JSON.parse(readFileSync(place(opened[0]!.binding.credential_ref), 'utf8'));
      expect(kept.password).toBe(server.passwords.get(address));
    });

    test('is refused where there is neither a credential nor what makes accounts, before anything is asked', async () => {
      const refused = await open(hostIn(folder)).catch((error) => error);
      expect(refused).toBeInstanceOf(LaunchRefused);
      for (const way of [
        '--credential-file',
        'HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN',
        'no credential for it',
      ])
        expect(refused.message).toContain(way);
      expect(server.asked).toEqual([]);
    });

    test('is not made on another server than the one whose management credential is there', async () => {
      const host = hostIn(folder, { ...management, HOUMAO_STALWART_BASE_URL: 'https://mail.example.test' });
      const refused = await open(host).catch((error) => error);
      expect(refused).toBeInstanceOf(LaunchRefused);
      expect(refused.message).toMatch(/is not at https:\/\/mail\.example\.test \(HOUMAO_STALWART_BASE_URL\)/);
      expect(server.asked).toEqual([]);
      const same = hostIn(folder, { ...management, HOUMAO_STALWART_BASE_URL: server.url });
      expect((await open(same)).stays).not.toBeNull();
    });

    test('a disk that takes no credential says so before the server has a password', async () => {
      const runtimeRoot = join(folder, `runtime-${address}`);
      mkdirSync(join(runtimeRoot, 'mailbox-credentials'), { recursive: true });
      writeFileSync(join(runtimeRoot, 'mailbox-credentials', 'stalwart'), 'a file in place of the folder');
      await expect(open({ ...hostIn(folder, management), runtimeRoot })).rejects.toThrow(/EEXIST|ENOTDIR/);
      expect([server.asked, server.passwords.size]).toEqual([[], 0]);
    });

    test('a credential that gets lost on its last step is reported, and the next launch mends it', async () => {
      let path = '';
      server.before = (call) => {
        // Its name is only known here.
        const [staged] = readdirSync(join(folder, 'runtime/mailbox-credentials/stalwart')).filter((name) =>
          name.endsWith('.tmp'),
        );
        path = join(folder, 'runtime/mailbox-credentials/stalwart', staged!.replace(/\.json\..*$/, '.json'));
        if (make.test(call)) mkdirSync(join(path, 'x'), { recursive: true });
        return false;
      };
      const lost = await open().catch((error) => error);
      expect(lost).toBeInstanceOf(LaunchFault);
      expect(lost.message).toMatch(/has a new password, which cannot be kept in .*\(EISDIR\)/);
      const password = server.passwords.get(address)!;
      expect(lost.message).not.toContain(password);
      server.before = () => false;
      rmSync(path, { recursive: true });
      expect((await open()).stays).not.toBeNull();
      expect(server.passwords.get(address)).not.toBe(password);
    });

    test('an account of which nobody knows whether it is made is reported, and the next launch mends it', async () => {
      server.before = (call, answer, asked) => {
        if (!/^POST|Account\/set/.test(call) || !asked.body.includes('agent')) return false;
        answer.destroy();
        return true;
      };
      const lost = await open().catch((error) => error);
      expect(lost).toBeInstanceOf(LaunchFault);
      expect(lost.message).toContain(`it is not known whether the account ${address} was made or changed`);
      server.before = () => false;
      expect((await open()).stays).not.toBeNull();
    });

    test('an account that the server then does not let in stays, and that is said', async () => {
      const forgetful = await imitatedStalwart({
        version,
        mail: { ...mail, addUser: async () => undefined },
      });
      const urls = { jmapUrl: `${forgetful.url}/jmap`, managementUrl: `${forgetful.url}/api` };
      const refused = await open(undefined, urls).catch((error) => error);
      await forgetful.stop();
      expect(refused).toBeInstanceOf(LaunchRefused);
      expect(refused.message).toMatch(/ credential .*created and not removed: the account/);
      expect(existsSync(place(/stalwart-agent[\w-]+/.exec(refused.message)![0]))).toBe(true);
    });

    test('an account that an agent cannot be given any more stays, and that is said with its credential', async () => {
      const { paths } = await makeSession({ folder: join(folder, address) });
      server.before = (call) => {
        if (make.test(call)) writeFileSync(paths.manifest, 'no JSON');
        return false;
      };
      const lost = await bindServerMailbox(paths, requested(), hostIn(folder, management)).catch(
        (error) => error,
      );
      expect(lost).toBeInstanceOf(LaunchFault);
      const path = place(credentialRef(`${server.url}/jmap`, address));
      expect(lost.message).toContain(`${paths.manifest}: `);
      expect(lost.message).toContain(
        `; created and not removed: the account ${address} on its mail server, with its credential in ${path}.`,
      );
      expect(JSON.parse(readFileSync(path, 'utf8')).password).toBe(server.passwords.get(address));
    });

    test('the words of a server hold no secret of ours', async () => {
      let password = '';
      server.before = (call, answer, { body, authorization = '' }) => {
        const made = /"secrets?":\[?"([\w-]{32})"/.exec(body)?.[1];
        if (!make.test(call) || made === undefined) return false;
        password = made;
        // At the beginning: long words are cut.
        const words = `${password} ${authorization}`;
        json(answer, 400, { type: words, error: words });
        return true;
      };
      const { message } = await open().catch((error) => error);
      expect(password).not.toBe('');
      expect(message).toMatch(/\*\*\* Bearer \*\*\*/);
      for (const secret of [managementToken, password]) expect(message).not.toContain(secret);
    });
  });

  test('of a server that is no Stalwart is not made, and opened with a credential that is given', async () => {
    const address = 'given@example.test';
    const file = join(folder, 'given.json');
    writeFileSync(file, JSON.stringify({ password: 'given' }));
    chmodSync(file, 0o600);
    await mail.addUser(address, 'given');
    const requested = {
      jmapUrl: mail.jmapUrl,
      managementUrl: new URL('/api', mail.jmapUrl).href,
      address,
      principalId: null,
      loginIdentity: null,
    };
    const host = hostIn(folder, management);
    const refused = await openServerMailbox({ ...requested, credentialFile: null }, names, host).catch(
      (error) => error,
    );
    expect(refused).toBeInstanceOf(LaunchRefused);
    expect(refused.message).toMatch(/no account can be made there.*--credential-file/);
    const { binding, stays } = await openServerMailbox({ ...requested, credentialFile: file }, names, host);
    expect(stays).toBeNull();
    expect(readFileSync(durableCredential(host.runtimeRoot, binding.credential_ref), 'utf8')).toBe(
      readFileSync(file, 'utf8'),
    );
  });

  test('is opened by a login of its own, which is kept with the credential for calls that name none', async () => {
    await mail.addUser('login@example.test', 'of-login');
    const address = 'shown@example.test';
    const requested = {
      jmapUrl: mail.jmapUrl,
      managementUrl: new URL('/api', mail.jmapUrl).href,
      address,
      principalId: null,
    };
    const host = hostIn(folder);
    const path = durableCredential(host.runtimeRoot, credentialRef(mail.jmapUrl, address));
    const openWith = (content: object, loginIdentity: string | null) => {
      const credentialFile = join(folder, 'login.json');
      writeFileSync(credentialFile, JSON.stringify(content), { mode: 0o600 });
      return openServerMailbox({ ...requested, loginIdentity, credentialFile }, names, host);
    };
    const kept = () => JSON.parse(readFileSync(path, 'utf8'));
    await openWith({ password: 'of-login', allow_plain_http: true, note: 'mine' }, 'login@example.test');
    expect(kept()).toEqual({
      password: 'of-login',
      allow_plain_http: true,
      note: 'mine',
      login_identity: 'login@example.test',
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // Neither file nor login are said again.
    const again = { ...requested, loginIdentity: null, credentialFile: null };
    expect((await openServerMailbox(again, names, host)).binding.address).toBe(address);

    // A credential that has a login itself, and one that needs none, is kept as it is.
    const said = { password: 'of-login', login_identity: 'login@example.test' };
    await openWith(said, 'another@example.test');
    expect(kept()).toEqual(said);
    const token = { bearer_token: mail.tokenOf('login@example.test') };
    await openWith(token, 'login@example.test');
    expect(kept()).toEqual(token);
  });
});
