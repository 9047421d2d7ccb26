#!/usr/bin/env node
import module from 'node:module';

// Newer Nodes keep compiled code between starts; the import below is the part worth keeping.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();
const { main } = await import('./gateway-process.js');
process.exitCode = await main(process.argv.slice(2));
