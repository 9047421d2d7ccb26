// The tortures behind `npm run torture`: of headless agents, with `--terminal` of an agent in a terminal, with `--mail` of a
// mailbox root, with `--server` of agents of both kinds under a server, with `--fleet` of several hosts.
const bundled = ['terminal', 'server'].find((name) => process.argv.includes(`--${name}`));
if (bundled) {
  const { bundleTorture } = await import('./bundle.mjs');
  await import(await bundleTorture(bundled));
} else {
  const apart = ['mail', 'fleet'].find((name) => process.argv.includes(`--${name}`)) ?? 'run';
  await import(`./${apart}.mjs`);
}
