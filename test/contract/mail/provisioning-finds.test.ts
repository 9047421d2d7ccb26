// Which account is meant on a Stalwart server, and which servers are none.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProvisioner } from '../../../src/mail/jmap/provision/open-provisioner.js';
import { json, scriptedServer } from '../../support/jmap/scripted-server.js';
import { type ImitatedStalwart, imitatedStalwart } from '../../support/jmap/stalwart-server.js';
import { account, faultOf, partsAt, password } from './provisioning-stage.js';

describe('an account of Stalwart 0.15', () => {
  let server: ImitatedStalwart;
  beforeEach(async () => {
    server = await imitatedStalwart({ version: '0.15' });
  });
  afterEach(async () => {
    await server.stop();
    expect(server.wrong).toEqual([]);
  });

  test('and one with a login of its own is named after that', async () => {
    const provisioner = await openProvisioner(partsAt(server.url));
    expect(await provisioner.ensureAccount({ ...account, loginIdentity: 'login' }, password)).toBe('made');
    expect(server.principals.all).toMatchObject([{ name: 'login', emails: [account.address] }]);
  });

  test('is found by its address, as one of several', async () => {
    server.principals.add({ type: 'individual', name: 'HOUMAO-alpha', emails: ['other@example.test'] });
    server.principals.add({
      type: 'individual',
      name: 'team/one',
      emails: ['x@example.test', account.address],
    });
    const provisioner = await openProvisioner(partsAt(server.url));
    const own = { ...account, loginIdentity: 'team/one' };
    await provisioner.check(own);
    await provisioner.ensureAccount(own, password);
    expect(server.asked.at(-1)).toBe('PATCH /api/principal/team%2Fone');
    expect(server.passwords.has('other@example.test')).toBe(false);
  });

  test('is found by its login as a name, and gets the address', async () => {
    server.principals.add({ type: 'individual', name: 'login' });
    const provisioner = await openProvisioner(partsAt(server.url));
    const own = { ...account, loginIdentity: 'login' };
    await provisioner.ensureAccount(own, password);
    expect(server.principals.all).toMatchObject([
      { name: 'login', emails: [account.address], secrets: [password] },
    ]);
    // A password is a change of its own, by a name or, where that is not what it is called by, by an id.
    server.principals.callBy('id');
    await provisioner.ensureAccount(own, 'another');
    expect(server.passwords.get(account.address)).toBe('another');
  });

  test.each([
    ['of its login', 'Bob', 'bob@example.test', { loginIdentity: 'bob' }, /choose another login, or give/],
    ['of its address', account.address, 'bob@example.test', {}, /choose another login, or give/],
    // One signs in there by the name: with another one the password would be right, and nobody let in.
    ['with its address', 'HOUMAO-alpha', account.address, {}, /--login-identity HOUMAO-alpha/],
  ])('is not somebody %s as a name', async (_what, name, theirs, more, remedy) => {
    const somebody = { type: 'individual', name, emails: [theirs], secrets: ['of Bob'] };
    server.principals.add(somebody);
    const provisioner = await openProvisioner(partsAt(server.url));
    server.asked.length = 0;
    const own = { ...account, ...more };
    for (const refused of [provisioner.check(own), provisioner.ensureAccount(own, password)]) {
      const fault = await faultOf(refused);
      expect([fault.code, fault.message]).toEqual(['server_refused', expect.stringMatching(remedy)]);
      expect(fault.message).toMatch(`the account ${name} of the mail server has`);
    }
    expect(new Set(server.asked)).toEqual(new Set(['GET /api/principal?types=individual']));
    expect([server.principals.all[0], server.passwords.size]).toMatchObject([somebody, 0]);
  });

  test('is nobody who takes its name with another address while it is made', async () => {
    const provisioner = await openProvisioner(partsAt(server.url));
    server.before = (call) => {
      if (call.startsWith('POST'))
        server.principals.add({ type: 'individual', name: account.address, emails: ['other@example.test'] });
      return false;
    };
    expect((await faultOf(provisioner.ensureAccount(account, password))).message).toMatch(/left alone/);
    expect(server.passwords.size).toBe(0);
  });
});

describe('an account of Stalwart 0.16', () => {
  let server: ImitatedStalwart;
  let domainId: string;
  beforeEach(async () => {
    server = await imitatedStalwart({ version: '0.16' });
    domainId = server.registry.add('Domain', { name: 'example.test' }).id;
  });
  afterEach(async () => {
    await server.stop();
    expect(server.wrong).toEqual([]);
  });
  const open = () => openProvisioner(partsAt(server.url));

  test('is nobody whose name has its own as a part', async () => {
    server.registry.add('Account', { name: 'alphabet', domainId });
    expect(await (await open()).ensureAccount(account, password)).toBe('made');
    expect([...server.passwords.keys()]).toEqual([account.address]);
  });

  test('is not made where something else has its name, which no query finds', async () => {
    server.registry.taken.set(account.address, { object: 'MailingList', id: 'b' });
    const fault = await faultOf((await open()).ensureAccount(account, password));
    expect([fault.code, fault.message]).toEqual([
      'server_refused',
      expect.stringMatching(/primaryKeyViolation \(something else there has that .*; a MailingList\)$/),
    ]);
    server.registry.taken.set('also.test', { object: 'Domain', id: 'd' });
    expect((await faultOf((await open()).ensureDomain('also.test'))).message).toMatch(/a Domain\)$/);
    expect(server.passwords.size).toBe(0);
  });

  test.each([
    ['a group', { '@type': 'Group' }, /is no account on the mail server, so it is left alone/],
    ['without a password', { credentials: {} }, /is an account without one password/],
  ])('that is %s is left alone', async (_what, fields, words) => {
    server.registry.add('Account', { name: 'alpha', domainId, ...fields });
    expect((await faultOf((await open()).ensureAccount(account, password))).message).toMatch(words);
    expect(server.asked.at(-1)).toBe('x:Account/get');
  });

  test('with a login that is not its address is refused before anything is made', async () => {
    const provisioner = await open();
    await provisioner.check({ ...account, loginIdentity: account.address.toUpperCase() });
    server.asked.length = 0;
    const fault = await faultOf(provisioner.check({ ...account, loginIdentity: 'login' }));
    expect([fault.code, fault.message]).toEqual([
      'unsupported',
      expect.stringMatching(/the login of that mail server is the address; remove --login-identity/),
    ]);
    expect(server.asked).toEqual([]);
  });
});

test.each([
  [
    'a session without urn:stalwart:jmap and no management',
    404,
    'unsupported',
    /not one of Stalwart 0\.16, and GET .*404/,
  ],
  [
    'a management that does not know the credential',
    401,
    'unauthorized',
    /management credential is not accepted/,
  ],
  ['a management that fails', 503, 'unreachable', /the server failed \(503\)/],
])('%s: no account is made, and the reason is reported', async (_what, status, code, words) => {
  const server = await scriptedServer();
  server.session = ({ path }, answer) => {
    if (path.startsWith('/api/principal')) return json(answer, status, {});
    const core = { 'urn:ietf:params:jmap:core': {} };
    const urls = { apiUrl: '/x', uploadUrl: '/x', downloadUrl: '/x' };
    json(answer, 200, { capabilities: core, accounts: { a: {} }, primaryAccounts: {}, ...urls });
  };
  const fault = await faultOf(openProvisioner(partsAt(server.url)));
  expect([fault.code, fault.message]).toEqual([code, expect.stringMatching(words)]);
});

test('without TLS the credential is not sent to another machine', async () => {
  for (const url of ['jmapUrl', 'managementUrl'])
    expect(
      (await faultOf(openProvisioner(partsAt('http://127.0.0.1:1', { [url]: 'http://192.0.2.1/x' }))))
        .message,
    ).toMatch(/not on this machine/);
});
