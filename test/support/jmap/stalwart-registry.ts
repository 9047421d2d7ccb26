import type { Asked } from './scripted-server.js';
import { WrongRequest } from './stalwart-principals.js';

type Fields = Record<string, unknown>;
type Stored = Fields & { id: string; name: string; domainId?: string };
interface SetArguments {
  create?: Record<string, Fields>;
  update?: Record<string, Fields>;
}

const newDomain: Fields = {
  aliases: {},
  certificateManagement: { '@type': 'Manual' },
  dkimManagement: { '@type': 'Automatic' },
  dnsManagement: { '@type': 'Manual' },
  subAddressing: { '@type': 'Enabled' },
};
const newUser: Fields = {
  '@type': 'User',
  roles: { '@type': 'User' },
  permissions: { '@type': 'Inherit' },
  encryptionAtRest: { '@type': 'Disabled' },
  aliases: {},
  quotas: {},
  memberGroupIds: {},
};

export const registrySession = (username: string) => ({
  username,
  capabilities: { 'urn:ietf:params:jmap:core': { maxCallsInRequest: 16 }, 'urn:stalwart:jmap': {} },
  accounts: { z: { name: username, isPersonal: true, isReadOnly: false, accountCapabilities: {} } },
  primaryAccounts: { 'urn:ietf:params:jmap:mail': 'z', 'urn:stalwart:jmap': 'z' },
  ...{ apiUrl: 'https://mail.example.test/jmap/', uploadUrl: '/jmap/upload/{accountId}/', state: '1' },
  downloadUrl: '/jmap/download/{accountId}/{blobId}/{name}?accept={type}',
});

/** The objects by which Stalwart 0.16 manages domains and accounts, as their requests and answers are on record. */
export class StalwartRegistry {
  readonly domains: Stored[] = [];
  readonly accounts: Stored[] = [];
  readonly #setPassword: (address: string, password: string) => Promise<void>;

  constructor(setPassword: (address: string, password: string) => Promise<void>) {
    this.#setPassword = setPassword;
  }

  add(type: 'Domain' | 'Account', fields: Fields & { name: string }): Stored {
    const all = type === 'Domain' ? this.domains : this.accounts;
    const stored = { ...fields, id: `${type[0]?.toLowerCase()}${all.length + 1}` };
    all.push(stored);
    return stored;
  }

  /** @throws {WrongRequest} */
  async answer({ body }: Asked): Promise<unknown> {
    const { using, methodCalls } = JSON.parse(body) as {
      using: string[];
      methodCalls: [string, Fields, string][];
    };
    if (String(using) !== 'urn:ietf:params:jmap:core,urn:stalwart:jmap')
      throw new WrongRequest(`using ${using}`);
    const methodResponses: unknown[] = [];
    for (const [method, { accountId, ...args }, id] of methodCalls) {
      if (accountId !== 'z') throw new WrongRequest(`account ${accountId}`);
      methodResponses.push([method, { accountId, ...(await this.#one(method, args)) }, id]);
    }
    return { methodResponses, sessionState: '1' };
  }

  async #one(method: string, args: Fields): Promise<Fields> {
    const [, type, does] = /^x:(Domain|Account)\/(query|get|set)$/.exec(method) ?? [];
    const all = type === 'Domain' ? this.domains : this.accounts;
    if (does === 'query') return { ids: this.#query(type, all, args.filter as Fields).map(({ id }) => id) };
    if (does === 'get') {
      const ids = args.ids as string[];
      return { list: all.filter(({ id }) => ids.includes(id)), notFound: [] };
    }
    if (does !== 'set') throw new WrongRequest(method);
    const { create = {}, update = {} } = args as SetArguments;
    const answer = {
      created: {} as Fields,
      notCreated: {} as Fields,
      updated: {} as Fields,
      notUpdated: {} as Fields,
    };
    for (const [key, fields] of Object.entries(create)) {
      const made = type === 'Domain' ? this.#newDomain(fields) : await this.#newAccount(fields);
      (typeof made === 'string' ? answer.notCreated : answer.created)[key] =
        typeof made === 'string' ? { type: made } : { id: made.id };
    }
    for (const [id, { credentials }] of Object.entries(update)) {
      const account = this.accounts.find((one) => one.id === id);
      if (type !== 'Account' || !account) answer.notUpdated[id] = { type: 'notFound' };
      else {
        await this.#setPassword(this.#addressOf(account), passwordIn(credentials));
        answer.updated[id] = null;
      }
    }
    return answer;
  }

  /** A name is found where it is only a part, too. */
  #query(type: string | undefined, all: readonly Stored[], filter: Fields): readonly Stored[] {
    const fields = type === 'Domain' ? 'name' : 'domainId,name';
    if (String(Object.keys(filter).sort()) !== fields)
      throw new WrongRequest(`filter ${JSON.stringify(filter)}`);
    return all.filter(
      (one) =>
        one.name.includes(filter.name as string) && (!filter.domainId || one.domainId === filter.domainId),
    );
  }

  #newDomain({ name, ...more }: Fields): Stored | string {
    same(more, newDomain);
    if (this.domains.some((one) => one.name === name)) return 'primaryKeyViolation';
    return this.add('Domain', { name: name as string });
  }

  async #newAccount({ name, domainId, credentials, ...more }: Fields): Promise<Stored | string> {
    same(more, newUser);
    if (!this.domains.some(({ id }) => id === domainId)) return 'invalidForeignKey';
    if (this.accounts.some((one) => one.name === name && one.domainId === domainId))
      return 'primaryKeyViolation';
    const account = { name: name as string, domainId: domainId as string };
    await this.#setPassword(this.#addressOf(account), passwordIn(credentials));
    return this.add('Account', account);
  }

  #addressOf({ name, domainId }: Pick<Stored, 'name' | 'domainId'>): string {
    return `${name}@${this.domains.find(({ id }) => id === domainId)?.name}`;
  }
}

function passwordIn(credentials: unknown): string {
  const { '0': only, ...others } = credentials as Record<string, { '@type': string; secret: string }>;
  if (only?.['@type'] !== 'Password' || Object.keys(others).length > 0) throw new WrongRequest('credentials');
  return only.secret;
}

function same(given: Fields, wanted: Fields): void {
  const text = (fields: Fields) =>
    JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (text(given) !== text(wanted)) throw new WrongRequest(JSON.stringify(given));
}
