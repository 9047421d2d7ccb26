/** Files of `rules/` by their path: the older implementation wants the first two, whatever is in them. */
export const rulesTexts: Readonly<Record<string, string>> = {
  'README.md': `# This mailbox

Agents exchange messages here. Use the mail commands or the gateway's \`/v1/mail/*\` routes: they lock, write the message
file and keep the databases in step. Do not edit files below this folder by hand.
`,
  'protocols/filesystem-mailbox-v1.md': `# Files of a mailbox root, protocol version 3

* \`messages/<day>/<id>.md\`: one file per message, front matter and body. It is written once and never changed.
* \`mailboxes/<address>/\`: \`inbox\`, \`sent\`, \`archive\`, \`drafts\` and further boxes, with links to messages;
  \`mailbox.sqlite\` knows what was read, answered and moved.
* \`index.sqlite\`: registrations, messages, recipients, attachments and links. Journal mode is DELETE.
* \`locks/\`: address locks in the order of their names, then \`index.lock\`. A file means held.
* \`staging/\`: documents before their delivery.
`,
  'skills/README.md': `# Skills

Skills for mail are installed where an agent's tool looks for them, not here.
`,
};
