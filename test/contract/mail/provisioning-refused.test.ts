// Refusals of a launch before an account is made, by an imitation of Stalwart's management.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LaunchFault, LaunchRefused } from '../../../src/launch/launch-fault.js';
import { credentialRef, openServerMailbox } from '../../../src/launch/server-mailbox.js';
import { durableCredential } from '../../../src/session/session-secrets.js';
import {
  type ImitatedStalwart,
  imitatedStalwart,
  managementToken,
} from '../../support/jmap/stalwart-server.js';
import { hostIn } from '../../support/launch-host.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const management = { HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN: managementToken };
const names = { tool: 'claude', role: 'tester', identity: 'HOUMAO-alpha' };
let counter = 0;

describe.each(['0.15', '0.16'] as const)('with the management of Stalwart %s', (version) => {
  let server: ImitatedStalwart;
  let address: string;
  beforeEach(async () => {
    server = await imitatedStalwart({ version });
    counter += 1;
    address = `agent${counter}@example.test`;
  });
  afterEach(async () => {
    await server.stop();
    expect(server.wrong).toEqual([]);
  });
  const open = (host = hostIn(folder, management), more: object = {}) =>
    openServerMailbox(
      {
        jmapUrl: `${server.url}/jmap`,
        managementUrl: `${server.url}/api`,
        address,
        principalId: null,
        loginIdentity: null,
        credentialFile: null,
        ...more,
      },
      names,
      host,
    );
  const place = (ref: string) => durableCredential(join(folder, 'runtime'), ref);
  const make = version === '0.15' ? /^POST/ : /Account\/set/;

  test('a credential that makes accounts and is none is shown once, by however many launches', async () => {
    const stale = { HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN: 'none-any-more' };
    const runtimeRoot = join(folder, `runtime-${address}`);
    for (let launches = 0; launches < 3; launches += 1) {
      const refused = await open({ ...hostIn(folder, stale), runtimeRoot }).catch((error) => error);
      expect(refused.message).toMatch(/management-\w{16}\.\w+\.refused removed/);
    }
    // Up to 0.15 there are two places to show it.
    expect(server.wrongPasswords).toBe(version === '0.15' ? 2 : 1);
    // Another one is shown at once. No mail server stands behind it, so nobody is let in with what was made.
    await open({ ...hostIn(folder, management), runtimeRoot }).catch(() => undefined);
    expect([...server.passwords.keys()]).toEqual([address]);
  });

  test('an API key that is given as a login is refused with where it belongs', async () => {
    const wrong = {
      HOUMAO_STALWART_MANAGEMENT_API_KEY: 'key',
      HOUMAO_STALWART_MANAGEMENT_API_SECRET: managementToken,
    };
    const runtimeRoot = join(folder, `runtime-${address}`);
    const refused = await open({ ...hostIn(folder, wrong), runtimeRoot }).catch((error) => error);
    expect(refused).toBeInstanceOf(LaunchRefused);
    expect(refused.message).toMatch(
      /an API key goes into HOUMAO_STALWART_MANAGEMENT_BEARER_TOKEN; a credential/,
    );
    expect(refused.message).not.toContain(managementToken);
  });

  test('a login by which the account could not be used is refused before anything is made', async () => {
    if (version === '0.15') server.principals.add({ type: 'individual', name: 'theirs', emails: [address] });
    const refused = await open(undefined, version === '0.15' ? {} : { loginIdentity: 'login' }).catch(
      (error) => error,
    );
    expect(refused.message).toMatch(
      version === '0.15' ? /--login-identity theirs/ : /remove --login-identity/,
    );
    expect(refused).toBeInstanceOf(version === '0.15' ? LaunchFault : LaunchRefused);
    expect(server.asked.filter((call) => make.test(call) || /Domain/.test(call))).toEqual([]);
    expect([server.passwords.size, existsSync(place(credentialRef(`${server.url}/jmap`, address)))]).toEqual([
      0,
      false,
    ]);
  });
});
