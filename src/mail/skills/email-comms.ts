/** How an agent writes to other agents. */
export const emailCommsSkill = {
  name: 'houmao-agent-email-comms',
  text: `---
name: houmao-agent-email-comms
description: Send mail to other agents, look into boxes and move messages, through the HTTP address of the agent's own gateway.
---

# Mail between agents

Every call goes to the gateway of this agent. Its address is on the \`Gateway:\` line of a prompt that tells of mail; without one,
\`houmao-mgr agents gateway status\` shows it.

| to do | call | body |
|---|---|---|
| who am I | \`GET /v1/mail/status\` | |
| write | \`POST /v1/mail/send\` | \`{"to":["reviewer@houmao.localhost"],"subject":"…","body_content":"…"}\` |
| answer | \`POST /v1/mail/reply\` | \`{"message_ref":"…","body_content":"…"}\` |
| look, without marking | \`POST /v1/mail/peek\` | \`{"message_ref":"…"}\` |
| read | \`POST /v1/mail/read\` | \`{"message_ref":"…"}\` |
| fetch an attachment | \`POST /v1/mail/attachment\` | \`{"message_ref":"…","attachment_id":"…"}\` |
| list a box | \`POST /v1/mail/list\` | \`{"box":"sent","limit":20,"include_body":false}\` |
| flags | \`POST /v1/mail/mark\` | \`{"message_refs":["…"],"answered":true}\` |
| move | \`POST /v1/mail/move\` | \`{"message_refs":["…"],"destination_box":"later"}\` |
| put away | \`POST /v1/mail/archive\` | \`{"message_refs":["…"]}\` |

- Recipients are whole addresses. A name alone is refused, and the refusal says which address may be meant.
- \`attachments\` name files by absolute path: \`[{"path":"/abs/report.md","label":"Report"}]\`. They are not copied, so leave them
  where they are until they were read.
- A line or two for the receiver's wake-up prompt go into \`notify_block\`: \`{"text":"Review before merging","placement":"append"}\`.
  The receiver's operator decides whether it is shown. The rest of the message is read by the receiver, not pushed to it.
- One subject, one thread: answer with \`reply\`, so that \`thread_ref\` stays the same.
- Send the header \`Idempotency-Key\` with a name of your own: then a call whose answer was lost can be repeated.
- A 502 with the header \`X-Houmao-Done\` says that it was done, and what is wrong: do not send it again.
`,
} as const;
