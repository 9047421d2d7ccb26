// The two tortures behind `npm run torture`: of headless agents, and with `--terminal` of an agent in a terminal.
if (process.argv.includes('--terminal')) {
  const { bundleTerminalTorture } = await import('./terminal/bundle.mjs');
  await import(await bundleTerminalTorture());
} else await import('./run.mjs');
