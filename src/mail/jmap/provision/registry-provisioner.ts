import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { MailFault } from '../../message/mail-fault.js';
import type { JmapClient } from '../client/jmap-client.js';
import { ServerFault } from '../client/server-fault.js';
import type { MailAccount, MailProvisioner } from './mail-provisioner.js';

const QuerySchema = Type.Object({ ids: Type.Array(Type.String()) });
const GetSchema = Type.Object({
  list: Type.Array(
    Type.Intersect([Type.Object({ id: Type.String() }), Type.Record(Type.String(), Type.Unknown())]),
  ),
});
const Results = Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]));
const SetSchema = Type.Object({
  created: Results,
  updated: Results,
  notCreated: Results,
  notUpdated: Results,
});

/** The credentials of an account; the server does not show their secrets. */
const CredentialsSchema = Type.Record(Type.String(), Type.Object({ '@type': Type.String() }));

type ObjectType = 'x:Domain' | 'x:Account';

/** The error for a value that another program made in the meantime, or that another object has. */
const isThere = 'primaryKeyViolation';

const newDomain = {
  aliases: {},
  certificateManagement: { '@type': 'Manual' },
  dkimManagement: { '@type': 'Automatic' },
  dnsManagement: { '@type': 'Manual' },
  subAddressing: { '@type': 'Enabled' },
};
const newUser = {
  '@type': 'User',
  roles: { '@type': 'User' },
  permissions: { '@type': 'Inherit' },
  encryptionAtRest: { '@type': 'Disabled' },
  aliases: {},
  quotas: {},
  memberGroupIds: {},
};
const passwordType = 'Password';

/** Makes domains and accounts as objects that JMAP manages: Stalwart from 0.16 on. Their names are in lower case there. */
export class RegistryProvisioner implements MailProvisioner {
  readonly #client: JmapClient;

  /** @param client signed in as a user who may manage accounts, and using `urn:stalwart:jmap`. */
  constructor(client: JmapClient) {
    this.#client = client;
  }

  async check({ address, loginIdentity }: MailAccount): Promise<void> {
    if (loginIdentity.toLowerCase() === address.toLowerCase()) return;
    throw new MailFault(
      'unsupported',
      `no account is made for ${address} with the login ${loginIdentity}: the login of that mail server is the address; remove --login-identity`,
    );
  }

  async ensureDomain(domain: string): Promise<void> {
    await this.#domain(domain.toLowerCase());
  }

  async ensureAccount({ address }: MailAccount, password: string): Promise<'made' | 'found'> {
    const [name = '', domain = ''] = address.toLowerCase().split('@');
    const domainId = await this.#domain(domain);
    const credentials = { '0': { '@type': passwordType, secret: password } };
    const { id, isOurs } = await this.#ensure('x:Account', { name, domainId }, { ...newUser, credentials });
    if (isOurs) return 'made';
    // Credentials that are set as a whole replace all others: app passwords and API keys of the account would be lost.
    const patch = { [`credentials/${pathPart(await this.#passwordOf(id, address))}/secret`]: password };
    const call = ['x:Account/set', { update: { [id]: patch } }, 's'] as const;
    const answers = await this.#client.call('change', [call]);
    const { updated, notUpdated } = answers.of(call, SetSchema);
    if (updated && id in updated) return 'found';
    throw answers.refused(`a new password for ${address}`, notUpdated?.[id]);
  }

  /** Returns the key of the only password of an account, among its credentials. */
  async #passwordOf(id: string, address: string): Promise<string> {
    const get = ['x:Account/get', { ids: [id], properties: ['id', '@type', 'credentials'] }, 'g'] as const;
    const { list } = (await this.#client.call('look', [get])).of(get, GetSchema);
    const found = list.find((one) => one.id === id);
    const credentials = found?.credentials;
    const all = Value.Check(CredentialsSchema, credentials) ? Object.entries(credentials) : [];
    const [only, ...others] = all.filter(([, credential]) => credential['@type'] === passwordType);
    if (only !== undefined && others.length === 0) return only[0];
    const what = found?.['@type'] === newUser['@type'] ? 'an account without one password' : 'no account';
    throw new ServerFault(
      'server_refused',
      `${address} is ${what} on the mail server, so it is left alone; choose another address, or give a credential (--credential-file)`,
    );
  }

  async #domain(name: string): Promise<string> {
    return (await this.#ensure('x:Domain', { name }, newDomain)).id;
  }

  /** Returns the object with that key, and whether this call made it: another program may have been faster. */
  async #ensure(
    type: ObjectType,
    key: Readonly<Record<string, string>>,
    more: object,
  ): Promise<{ id: string; isOurs: boolean }> {
    const before = await this.#find(type, key);
    if (before !== null) return { id: before, isOurs: false };
    const call = [`${type}/set`, { create: { new: { ...key, ...more } } }, 's'] as const;
    const answers = await this.#client.call('change', [call]);
    const { created, notCreated } = answers.of(call, SetSchema);
    const id = (created?.new as { id?: unknown } | null | undefined)?.id;
    if (typeof id === 'string') return { id, isOurs: true };
    const refusal = answers.refused(`${type} ${key.name}`, notCreated?.new);
    const now = refusal.type === isThere ? await this.#find(type, key) : null;
    if (now === null) throw refusal;
    return { id: now, isOurs: false };
  }

  /** Compares the results: a server may find more than was requested, and a password must not reach another account. */
  async #find(type: ObjectType, key: Readonly<Record<string, string>>): Promise<string | null> {
    const query = [`${type}/query`, { filter: key }, 'q'] as const;
    const { ids } = (await this.#client.call('look', [query])).of(query, QuerySchema);
    if (ids.length === 0) return null;
    const get = [`${type}/get`, { ids, properties: ['id', ...Object.keys(key)] }, 'g'] as const;
    const { list } = (await this.#client.call('look', [get])).of(get, GetSchema);
    const same = list.filter((one) => Object.entries(key).every(([field, value]) => one[field] === value));
    if (same.length > 1)
      throw new ServerFault('server_refused', `the mail server has ${same.length} of ${type} ${key.name}`);
    return same[0]?.id ?? null;
  }
}

/** Pure: escapes a key as a part of a path (RFC 6901). */
const pathPart = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
