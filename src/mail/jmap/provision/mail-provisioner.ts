/** The account of an agent on a mail server. */
export interface MailAccount {
  address: string;
  principalId: string;
  /** The name by which the agent signs in. */
  loginIdentity: string;
}

/**
 * Makes domains and accounts on a mail server (docs/decisions.md#accounts-on-a-mail-server). Every method throws `ServerFault`;
 * the message names the call, and contains no secret.
 */
export interface MailProvisioner {
  /** Refuses an account to which the agent could not sign in, before anything is made. */
  check(account: MailAccount): Promise<void>;
  /** Makes the domain, unless the server has it. */
  ensureDomain(domain: string): Promise<void>;
  /**
   * Makes the account with that password; an account that exists gets it in place of its own password. Other
   * credentials of the account stay.
   * @returns whether the account was made or found.
   */
  ensureAccount(account: MailAccount, password: string): Promise<'made' | 'found'>;
}
