import { afterAll } from 'vitest';
import { recordAnswers } from './record-answers.mjs';
import { answersFolder } from './recorded-answers.js';

// Files share a worker: what the next one is answered is written down if that one is a contract test, too.
const folder = answersFolder();
if (folder !== null) afterAll(recordAnswers(folder));
