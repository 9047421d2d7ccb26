import type { Asked } from './scripted-server.js';
import { WrongRequest } from './stalwart-principals.js';
import { recordedPair } from './stalwart-records.js';

type Fields = Record<string, unknown>;
type Stored = Fields & { id: string; name: string };
type Credentials = Record<string, Fields>;
type Kind = 'Domain' | 'Account';
/** The outcome of one object of a set: its reported fields, or why it was refused. */
type Outcome = { reported: Fields | null } | { refused: Fields };

/** The account of the manager of the recorded server. */
export const managersAccount = 'd333333';

const newDomain: Fields = {
  aliases: {},
  certificateManagement: { '@type': 'Manual' },
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

const weakPassword = recordedPair('provisioning', 'a weak password').answer.body as {
  methodResponses: [[string, { notCreated: { new: Fields } }]];
};

/**
 * The objects by which Stalwart 0.16 manages domains and accounts: it answers what the recorded server answered to the same, and
 * refuses what that one refused (test/contract/mail/stalwart-records.test.ts holds the two together).
 */
export class StalwartRegistry {
  readonly domains: Stored[] = [];
  readonly accounts: Stored[] = [];
  /** Names that something else has than an account or a domain: a mailing list, an alias. No query finds it. */
  readonly taken = new Map<string, { object: string; id: string }>();
  readonly #setPassword: (address: string, password: string) => Promise<void>;

  constructor(setPassword: (address: string, password: string) => Promise<void>) {
    this.#setPassword = setPassword;
  }

  add(type: Kind, fields: Fields & { name: string }): Stored {
    const all = type === 'Domain' ? this.domains : this.accounts;
    // The server has one of each from its beginning.
    const id = String.fromCharCode((type === 'Domain' ? 'c' : 'b').charCodeAt(0) + all.length);
    const user = type === 'Account' && fields['@type'] !== 'Group';
    const stored = {
      ...(user && { '@type': 'User', credentials: { '0': password('a') } }),
      ...fields,
      id,
    };
    all.push(stored);
    return stored;
  }

  /** A credential that a person made for a program of theirs, beside the password of the account. */
  addAppPassword(account: Stored, description: string): void {
    const all = account.credentials as Credentials;
    const credential = { ...password('b'), description, createdAt: '2026-11-26T10:09:34Z' };
    all[String(Object.keys(all).length)] = {
      ...credential,
      permissions: { '@type': 'Inherit' },
      '@type': 'AppPassword',
    };
  }

  /** @throws {WrongRequest} */
  async answer({ body }: Pick<Asked, 'body'>): Promise<unknown> {
    const { using, methodCalls } = JSON.parse(body) as {
      using: string[];
      methodCalls: [string, Fields, string][];
    };
    if (String(using) !== 'urn:ietf:params:jmap:core,urn:stalwart:jmap')
      throw new WrongRequest(`using ${using}`);
    const methodResponses: [string, Fields, string][] = [];
    for (const [method, { accountId, ...args }, id] of methodCalls) {
      const result =
        accountId === managersAccount ? await this.#one(method, args, methodResponses) : forbidden;
      methodResponses.push([result === forbidden ? 'error' : method, result, id]);
    }
    return { methodResponses, sessionState: 'edc35380' };
  }

  async #one(method: string, args: Fields, before: readonly [string, Fields, string][]): Promise<Fields> {
    const [, type, does] = /^x:(Domain|Account)\/(query|get|set)$/.exec(method) ?? [];
    const kind = type as Kind;
    const all = kind === 'Domain' ? this.domains : this.accounts;
    const head = { accountId: managersAccount };
    if (does === 'query') {
      const ids = this.#query(kind, all, args.filter as Fields).map(({ id }) => id);
      return { ...head, queryState: 'n', canCalculateChanges: true, position: 0, ids };
    }
    if (does === 'get') return { ...head, ...got(all, args, before) };
    if (does === 'set') return { ...head, ...(await this.#set(kind, args)) };
    throw new WrongRequest(method);
  }

  async #set(
    kind: Kind,
    { create = {}, update = {} }: { create?: Record<string, Fields>; update?: Record<string, Fields> },
  ) {
    const created = new Map<string, Outcome>();
    for (const [key, fields] of Object.entries(create))
      created.set(key, kind === 'Domain' ? this.#newDomain(fields) : await this.#newAccount(fields));
    const updated = new Map<string, Outcome>();
    for (const [id, patch] of Object.entries(update)) updated.set(id, await this.#change(kind, id, patch));
    return { ...parted('created', 'notCreated', created), ...parted('updated', 'notUpdated', updated) };
  }

  /** A name is found where it is only a part, too. */
  #query(kind: Kind, all: readonly Stored[], filter: Fields): readonly Stored[] {
    const fields = kind === 'Domain' ? 'name' : 'domainId,name';
    if (String(Object.keys(filter).sort()) !== fields)
      throw new WrongRequest(`filter ${JSON.stringify(filter)}`);
    return all.filter(
      (one) =>
        one.name.includes(filter.name as string) && (!filter.domainId || one.domainId === filter.domainId),
    );
  }

  #newDomain({ name, dkimManagement, ...more }: Fields): Outcome {
    same(more, newDomain);
    same(dkimManagement as Fields, { '@type': (dkimManagement as Fields)['@type'] });
    const other = this.domains.find((one) => one.name === name);
    const holder = other ? { object: 'Domain', id: other.id } : this.taken.get(name as string);
    if (holder) return { refused: isTaken('name', holder) };
    return { reported: { id: this.add('Domain', { name: name as string }).id } };
  }

  async #newAccount({ name, domainId, credentials, ...more }: Fields): Promise<Outcome> {
    same(more, newUser);
    const domain = this.domains.find(({ id }) => id === domainId);
    if (!domain) return { refused: { type: 'invalidForeignKey' } };
    const secret = secretIn(credentials as Credentials);
    if (secret.length < 8) return { refused: weakPassword.methodResponses[0][1].notCreated.new };
    const other = this.accounts.find((one) => one.name === name && one.domainId === domainId);
    const holder = other ? { object: 'Account', id: other.id } : this.taken.get(`${name}@${domain.name}`);
    if (holder) return { refused: isTaken('email', holder) };
    const account = this.add('Account', { name: name as string, domainId });
    await this.#setPassword(this.#addressOf(account), secret);
    return { reported: { id: account.id } };
  }

  /** A patch, as RFC 8620 has it: a map that is named as a whole takes the place of the one that was there. */
  async #change(kind: Kind, id: string, patch: Fields): Promise<Outcome> {
    const account = this.accounts.find((one) => one.id === id);
    if (kind !== 'Account' || !account) return { refused: { type: 'notFound' } };
    for (const [path, value] of Object.entries(patch)) {
      const [field, key, property, ...deeper] = path.split('/');
      if (field !== 'credentials' || deeper.length > 0) throw new WrongRequest(`patch ${path}`);
      const all = account.credentials as Credentials | undefined;
      if (all === undefined)
        return { refused: { type: 'invalidPatch', description: 'Invalid property', properties: [path] } };
      if (key === undefined) {
        const secret = secretIn(value as Credentials);
        account.credentials = { '0': password('b') };
        await this.#setPassword(this.#addressOf(account), secret);
      } else if (property === 'secret' && all[key]?.['@type'] === 'Password')
        await this.#setPassword(this.#addressOf(account), value as string);
      else throw new WrongRequest(`patch ${path}`);
    }
    return { reported: null };
  }

  #addressOf({ name, domainId }: Stored): string {
    return `${name}@${this.domains.find(({ id }) => id === domainId)?.name}`;
  }
}

const forbidden: Fields = {
  type: 'forbidden',
  description: 'You are not authorized to perform this action',
};

/** A secret is shown to nobody. */
const password = (credentialId: string): Fields => ({
  credentialId,
  secret: '****',
  expiresAt: null,
  allowedIps: {},
  '@type': 'Password',
});

const isTaken = (property: string, objectId: Fields): Fields => ({
  type: 'primaryKeyViolation',
  properties: [property],
  objectId,
});

function got(all: readonly Stored[], args: Fields, before: readonly [string, Fields, string][]): Fields {
  const from = args['#ids'] as { resultOf: string } | undefined;
  const earlier = before.find(([, , call]) => call === from?.resultOf)?.[1].ids;
  const ids = (args.ids ?? earlier) as string[];
  const wanted = args.properties as string[];
  const list = all
    .filter(({ id }) => ids.includes(id))
    .map((one) => Object.fromEntries(wanted.filter((name) => name in one).map((name) => [name, one[name]])));
  return { list, notFound: ids.filter((id) => !all.some((one) => one.id === id)) };
}

function parted(done: string, not: string, outcomes: ReadonlyMap<string, Outcome>): Fields {
  const all = [...outcomes];
  const reported = all.flatMap(([key, one]) => ('reported' in one ? [[key, one.reported]] : []));
  const refused = all.flatMap(([key, one]) => ('refused' in one ? [[key, one.refused]] : []));
  return {
    ...(reported.length > 0 && { [done]: Object.fromEntries(reported) }),
    ...(refused.length > 0 && { [not]: Object.fromEntries(refused) }),
  };
}

function secretIn({ '0': only, ...others }: Credentials): string {
  if (only?.['@type'] !== 'Password' || Object.keys(others).length > 0) throw new WrongRequest('credentials');
  return only.secret as string;
}

function same(given: Fields, wanted: Fields): void {
  const text = (fields: Fields) =>
    JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (text(given) !== text(wanted)) throw new WrongRequest(JSON.stringify(given));
}
