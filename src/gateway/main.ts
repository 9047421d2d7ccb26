#!/usr/bin/env node
import { main } from './gateway-process.js';

process.exitCode = await main(process.argv.slice(2));
