/** Input that breaks a rule. Nothing was changed. */
export class MailRefusal extends Error {
  override readonly name = 'MailRefusal';
  /** Where in the input, such as `to[0].address`. */
  readonly field: string;
  readonly rule: string;

  constructor(field: string, rule: string) {
    super(`${field}: ${rule}`);
    this.field = field;
    this.rule = rule;
  }
}
