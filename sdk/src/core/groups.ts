/**
 * The groups of a gateway: of each, the part of an `operationId` that its short names leave out. `requests`, `events`, `control` and
 * `usage` are methods of the clients.
 */
export const gatewayGroups = {
  mail: /(Agent)?Mail(box)?(?!Notifier)/,
  mailNotifier: /MailNotifier/,
  queue: /Queue/,
  reminders: /Reminders?/,
  terminal: /Tui|(?=Dialog|Keys)|^(?=note)/,
  turns: /Turn/,
};

/** The groups that the server has beside these; those of an agent's gateway are at `client.agent(ref).gateway`. */
export const serverGroups = {
  fleet: /Fleet/,
  agents: /Agents?(?!Mail)/,
  notifications: /Notifications?/,
};

/** The methods of a client by the short names of a table (`mail.send` is `sendMail`), with their comments. */
export type GroupsOf<Table, Methods> = {
  readonly [Group in keyof Table]: {
    readonly [Name in keyof Table[Group]]: Table[Group][Name] extends keyof Methods
      ? Methods[Table[Group][Name]]
      : never;
  };
};

/**
 * Adds the groups to methods that are named by their operations: the same ones under their short names, which are the `operationId`
 * without the group's part, and without `get` where something else is left. `npm run generate` groups the operations by it, too,
 * and makes the types of the groups of them.
 */
export function withGroups<Methods extends object, Grouped>(
  groups: Readonly<Record<keyof Grouped & string, RegExp>>,
  methods: Methods,
): Methods & Grouped {
  const all = { ...methods } as Record<string, unknown>;
  for (const [id, method] of Object.entries(methods)) {
    // Those that the server has for gateways are grouped at the gateway of an agent, or not at all.
    if (/Gateway|HeadlessTurn/.test(id)) continue;
    for (const [group, part] of Object.entries<RegExp>(groups)) {
      if (!part.test(id)) continue;
      const name = id.replace(part, '').replace(/^(get)?[A-Z]/, (start) => start.at(-1)!.toLowerCase());
      all[group] = { ...(all[group] as object), [name]: method };
    }
  }
  return all as unknown as Methods & Grouped;
}
