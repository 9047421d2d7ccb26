// The mail work of an agent's model, given the gateway's address: it reads what is open, answers what is no answer
// itself, and puts it away. It prints what it did.
const [gateway] = process.argv.slice(2);

async function mail(operation, body) {
  const answer = await fetch(`${gateway}/v1/mail/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${operation}: ${await answer.text()}`);
  return answer.json();
}

const { messages } = await mail('list', { archived: false });
for (const { message_ref } of messages) {
  const { message } = await mail('read', { message_ref });
  if (!message.subject.startsWith('Re:'))
    await mail('reply', { message_ref, body_content: `Done: ${message.body_text}` });
  await mail('archive', { message_refs: [message_ref] });
  console.log(`worked on ${message.subject}`);
}
