/** The account of an agent on a mail server. */
export interface MailAccount {
  address: string;
  principalId: string;
  /** The name by which the agent signs in. */
  loginIdentity: string;
}

/**
 * Makes domains and accounts on a mail server (docs/decisions.md#accounts-on-a-mail-server). Every method throws `ServerFault`;
 * the message names the call, and holds no secret.
 */
export interface MailProvisioner {
  /** Refuses, before anything is made, an account to which the agent could not sign in. */
  check(account: MailAccount): Promise<void>;
  /** Does nothing where the server has it. */
  ensureDomain(domain: string): Promise<void>;
  /**
   * Makes the account with that password; one that is there gets it in place of its own. Other credentials of the account stay.
   * @returns what was done.
   */
  ensureAccount(account: MailAccount, password: string): Promise<'made' | 'found'>;
}
