// The tortures behind `npm run torture`: of headless agents, with `--terminal` of an agent in a terminal, with `--mail` of a
// mailbox root.
if (process.argv.includes('--terminal')) {
  const { bundleTerminalTorture } = await import('./terminal/bundle.mjs');
  await import(await bundleTerminalTorture());
} else await import(process.argv.includes('--mail') ? './mail.mjs' : './run.mjs');
