// How accounts are made on a Stalwart server, against its requests and answers as they are on record.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProvisioner } from '../../../src/mail/jmap/provision/open-provisioner.js';
import { json, scriptedServer } from '../../support/jmap/scripted-server.js';
import { type ImitatedStalwart, imitatedStalwart } from '../../support/jmap/stalwart-server.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { account, faultOf, partsAt, password } from './provisioning-stage.js';

const versions = {
  '0.15': {
    domain: ['GET /api/principal?types=domain', 'POST /api/principal', 'GET /api/principal?types=domain'],
    account: [
      ...['GET /api/principal?types=individual', 'POST /api/principal'],
      'GET /api/principal?types=individual',
    ],
    found: ['GET /api/principal?types=individual', 'PATCH /api/principal/alpha%40example.test'],
    knownDomain: ['GET /api/principal?types=domain'],
    make: 'POST /api/principal',
    change: 'PATCH /api/principal/alpha%40example.test',
    refusal: { error: 'validationFailed', details: password },
    words: /^POST http:\/\/127\.0\.0\.1:\d+\/api\/principal: refused \(200, validationFailed\)$/,
  },
  '0.16': {
    domain: ['x:Domain/query', 'x:Domain/set'],
    account: ['x:Domain/query', 'x:Domain/get', 'x:Account/query', 'x:Account/set'],
    found: [
      ...['x:Domain/query', 'x:Domain/get', 'x:Account/query', 'x:Account/get', 'x:Account/get'],
      'x:Account/set',
    ],
    knownDomain: ['x:Domain/query', 'x:Domain/get'],
    make: 'x:Account/set',
    change: 'x:Account/set',
    refusal: {
      methodResponses: [
        ['x:Account/set', { notCreated: { new: { type: 'validationFailed', description: password } } }, 's'],
      ],
    },
    words: /refused x:Account alpha: validationFailed \(\*\*\*\)$/,
  },
} as const;

describe.each(['0.15', '0.16'] as const)('by the management of Stalwart %s', (version) => {
  const recorded = versions[version];
  let server: ImitatedStalwart;
  beforeEach(async () => {
    server = await imitatedStalwart({ version });
  });
  afterEach(async () => {
    await server.stop();
    expect(server.wrong).toEqual([]);
  });
  const open = async () => {
    const provisioner = await openProvisioner(partsAt(server.url));
    server.asked.length = 0;
    return provisioner;
  };
  const domains = () =>
    version === '0.15'
      ? server.principals.all.filter(({ type }) => type === 'domain').map(({ name }) => name)
      : server.registry.domains.map(({ name }) => name);
  const accounts = () =>
    version === '0.15'
      ? server.principals.all.filter(({ type }) => type === 'individual').map(({ name }) => name)
      : server.registry.accounts.map(({ name }) => name);
  /** Somebody else makes it while this one does. */
  const faster = (what: 'domain' | 'account') => {
    if (version === '0.15')
      server.principals.add(
        what === 'domain'
          ? { type: 'domain', name: 'example.test' }
          : { type: 'individual', name: account.address, emails: [account.address] },
      );
    else if (what === 'domain') server.registry.add('Domain', { name: 'example.test' });
    else server.registry.add('Account', { name: 'alpha', domainId: server.registry.domains[0]!.id });
  };
  const instead = (call: string, does: (answer: ServerResponse) => void): void => {
    server.before = (asked, answer) => {
      if (asked !== call) return false;
      does(answer);
      return true;
    };
  };

  test('a domain and an account are made, each asked for as it is on record', async () => {
    const provisioner = await open();
    await provisioner.ensureDomain('example.test');
    expect(server.asked).toEqual(recorded.domain);
    server.asked.length = 0;
    expect(await provisioner.ensureAccount(account, password)).toBe('made');
    expect(server.asked).toEqual(recorded.account);
    expect([domains(), accounts()]).toEqual([
      ['example.test'],
      [version === '0.15' ? account.address : 'alpha'],
    ]);
    expect(Object.fromEntries(server.passwords)).toEqual({ [account.address]: password });
  });

  test('what is there is used, and gets the new password', async () => {
    faster('domain');
    faster('account');
    const provisioner = await open();
    await provisioner.ensureDomain('Example.test');
    expect(server.asked).toEqual(recorded.knownDomain);
    server.asked.length = 0;
    expect(await provisioner.ensureAccount(account, password)).toBe('found');
    expect(server.asked).toEqual(recorded.found);
    expect([domains().length, accounts().length, server.passwords.get(account.address)]).toEqual([
      1,
      1,
      password,
    ]);
  });

  test('what the owner of the account made for programs of theirs stays', async () => {
    faster('domain');
    faster('account');
    const theirs = ['otpauth://totp/x', '$app$phone$hash'];
    if (version === '0.15') server.principals.all[1]!.secrets = [theirs[0]!, 'hash', theirs[1]!];
    else server.registry.addAppPassword(server.registry.accounts[0]!, 'phone');
    const provisioner = await open();
    expect(await provisioner.ensureAccount(account, password)).toBe('found');
    expect(server.passwords.get(account.address)).toBe(password);
    if (version === '0.15') expect(server.principals.all[1]!.secrets).toEqual([...theirs, password]);
    else expect(server.registry.accounts[0]!.credentials).toMatchObject({ '1': { description: 'phone' } });
  });

  test('what somebody else makes at the same time is used, too', async () => {
    const provisioner = await open();
    const once = (what: 'domain' | 'account'): void => {
      server.before = (call) => {
        if (/^POST|x:(Domain|Account)\/set$/.test(call)) {
          server.before = () => false;
          faster(what);
        }
        return false;
      };
    };
    once('domain');
    await provisioner.ensureDomain('example.test');
    once('account');
    expect(await provisioner.ensureAccount(account, password)).toBe('found');
    expect([domains(), accounts().length]).toEqual([['example.test'], 1]);
    expect(server.passwords.get(account.address)).toBe(password);
  });

  test('a refusal names the call and what the server says, without the password', async () => {
    const provisioner = await open();
    await provisioner.ensureDomain('example.test');
    instead(recorded.make, (answer) => json(answer, 200, recorded.refusal));
    const fault = await faultOf(provisioner.ensureAccount(account, password));
    expect([fault.code, fault.message]).toEqual(['server_refused', expect.stringMatching(recorded.words)]);
  });

  test.each([
    ['401', 401, 'unauthorized', /401/],
    ['403', 403, 'server_refused', /refuses every login .*\(403/],
    ['500', 500, undefined, /500/],
  ])('a %s to the change is reported, and whether it may be done', async (_what, status, code, words) => {
    const provisioner = await open();
    await provisioner.ensureDomain('example.test');
    instead(recorded.make, (answer) => json(answer, status, { type: 'about:blank', detail: password }));
    const fault = await faultOf(provisioner.ensureAccount(account, password));
    expect(fault).toMatchObject({ outcomeUnknown: status === 500, message: expect.stringMatching(words) });
    if (code) expect(fault.code).toBe(code);
  });

  test.each([
    ['no JSON', (answer: ServerResponse) => void answer.writeHead(200).end('<html>')],
    ['JSON of another shape', (answer: ServerResponse) => json(answer, 200, [password])],
  ])('%s is a fault of that call, which may be done', async (_what, does) => {
    const provisioner = await open();
    await provisioner.ensureDomain('example.test');
    instead(recorded.make, does);
    const fault = await faultOf(provisioner.ensureAccount(account, password));
    expect(fault).toMatchObject({ code: 'server_refused', outcomeUnknown: true });
    expect(fault.message).toMatch(
      version === '0.15' ? /^POST .*not the one of Stalwart/ : /gave no JMAP answer/,
    );
  });

  test('a server that hangs is given up, and a redirect not followed', async () => {
    const clock = new VirtualClock('2026-03-19T08:00:00Z');
    const provisioner = await openProvisioner(partsAt(server.url, { limit: 300, clock }));
    await provisioner.ensureDomain('example.test');
    instead(recorded.make, () => clock.pass(300));
    expect(await faultOf(provisioner.ensureAccount(account, password))).toMatchObject({
      code: 'unreachable',
      outcomeUnknown: true,
      message: expect.stringMatching(/within 0\.3 s/),
    });
    const elsewhere = await scriptedServer();
    instead(
      recorded.make,
      (answer) => void answer.writeHead(307, { location: `${elsewhere.url}/api` }).end(),
    );
    await faultOf(provisioner.ensureAccount(account, password));
    expect(elsewhere.asked).toEqual([]);
  });

  test('an account whose password is not changed is reported', async () => {
    faster('domain');
    faster('account');
    const provisioner = await open();
    const nothing =
      version === '0.15'
        ? { error: 'forbidden' }
        : { methodResponses: [['x:Account/set', { notUpdated: { b: { type: 'forbidden' } } }, 's']] };
    instead(recorded.change, (answer) => json(answer, 200, nothing));
    expect((await faultOf(provisioner.ensureAccount(account, password))).message).toContain('forbidden');
  });
});
