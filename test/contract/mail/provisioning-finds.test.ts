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

  test('is found by its address before its name, as one of several', async () => {
    server.principals.add({ type: 'individual', name: 'HOUMAO-alpha', emails: ['other@example.test'] });
    server.principals.add({
      type: 'individual',
      name: 'team/one',
      emails: ['x@example.test', account.address],
    });
    const provisioner = await openProvisioner(partsAt(server.url));
    await provisioner.ensureAccount(account, password);
    expect(server.asked.at(-1)).toBe('PATCH /api/principal/team%2Fone');
    expect(server.passwords.has('other@example.test')).toBe(false);
  });

  test.each([
    ['its principal', 'HOUMAO-alpha'],
    ['its login', 'login'],
    ['its address', account.address],
  ])('is found by %s as a name, and gets the address', async (_what, name) => {
    server.principals.add({ type: 'individual', name });
    const provisioner = await openProvisioner(partsAt(server.url));
    await provisioner.ensureAccount({ ...account, loginIdentity: 'login' }, password);
    expect(server.principals.all).toMatchObject([{ name, emails: [account.address], secrets: [password] }]);
    // A password is a change of its own, by a name or, where that is not what it is called by, by an id.
    server.principals.callBy('id');
    await provisioner.ensureAccount({ ...account, loginIdentity: 'login' }, 'another');
    expect(server.passwords.get(account.address)).toBe('another');
  });

  test.each([
    ['its principal', 'houmao-alpha', {}],
    ['its login', 'Bob', { loginIdentity: 'bob' }],
    ['its address', account.address, {}],
    ['its address, with a login', account.address, { loginIdentity: 'bob' }],
  ])('is not somebody of another address who has %s as a name', async (_what, name, more) => {
    const somebody = { type: 'individual', name, emails: ['bob@example.test'], secrets: ['of Bob'] };
    server.principals.add(somebody);
    const provisioner = await openProvisioner(partsAt(server.url));
    server.asked.length = 0;
    const own = { ...account, ...more };
    const fault = await faultOf(provisioner.ensureAccount(own, password));
    expect([fault.code, fault.message]).toEqual([
      'server_refused',
      expect.stringMatching(
        new RegExp(`the account ${name} .*choose another login or principal id, or give a credential`),
      ),
    ]);
    expect(server.asked).toEqual(['GET /api/principal?types=individual']);
    expect([server.principals.all[0], server.passwords.size]).toMatchObject([somebody, 0]);
  });

  test('is made by another login where somebody of another address has its principal as a name', async () => {
    server.principals.add({ type: 'individual', name: 'HOUMAO-alpha', emails: ['other@example.test'] });
    const provisioner = await openProvisioner(partsAt(server.url));
    expect(await provisioner.ensureAccount({ ...account, loginIdentity: 'login' }, password)).toBe('made');
    expect([...server.passwords.keys()]).toEqual([account.address]);
  });

  test('is nobody who takes its name with another address while it is made', async () => {
    const provisioner = await openProvisioner(partsAt(server.url));
    server.before = (call) => {
      if (call.startsWith('POST'))
        server.principals.add({ type: 'individual', name: 'HOUMAO-alpha', emails: ['other@example.test'] });
      return false;
    };
    expect((await faultOf(provisioner.ensureAccount(account, password))).message).toMatch(/left alone/);
    expect(server.passwords.size).toBe(0);
  });
});

test('Stalwart 0.16 finds more than what is asked for: nobody else gets the password', async () => {
  const server = await imitatedStalwart({ version: '0.16' });
  const { id: domainId } = server.registry.add('Domain', { name: 'example.test' });
  server.registry.add('Account', { name: 'alphabet', domainId });
  const provisioner = await openProvisioner(partsAt(server.url));
  expect(await provisioner.ensureAccount(account, password)).toBe('made');
  expect([...server.passwords.keys()]).toEqual([account.address]);
  // An address that is another account's alias is taken, and found nowhere.
  server.before = (call, answer) => {
    if (call !== 'x:Account/set') return false;
    const refused = { notCreated: { new: { type: 'primaryKeyViolation' } } };
    json(answer, 200, { methodResponses: [['x:Account/set', refused, 's']] });
    return true;
  };
  const other = { ...account, address: 'beta@example.test' };
  expect((await faultOf(provisioner.ensureAccount(other, password))).message).toContain(
    'primaryKeyViolation',
  );
  await server.stop();
  expect(server.wrong).toEqual([]);
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
])('%s: no account is made, and the reason told', async (_what, status, code, words) => {
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
    ).toMatch(/is not on this machine/);
});
