/** Asks a program of the bench. @returns the body of its answer. @throws where it refuses. */
export async function call({ url }, method, path, body) {
  const answer = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
}
