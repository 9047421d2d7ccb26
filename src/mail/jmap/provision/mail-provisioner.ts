/** The account of an agent on a mail server. */
export interface MailAccount {
  address: string;
  principalId: string;
  /** The name by which the server knows the agent. */
  loginIdentity: string;
}

/**
 * Makes domains and accounts on a mail server (docs/decisions.md#accounts-on-a-mail-server). Every method throws `ServerFault`;
 * the message names the call, and holds no secret.
 */
export interface MailProvisioner {
  /** Does nothing where the server has it. */
  ensureDomain(domain: string): Promise<void>;
  /**
   * Makes the account with that password; one that is there gets the password in place of its own.
   * @returns what was done.
   */
  ensureAccount(account: MailAccount, password: string): Promise<'made' | 'found'>;
}
