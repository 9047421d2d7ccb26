import { recordAnswers } from './record-answers.mjs';
import { answersFolder } from './recorded-answers.js';

const folder = answersFolder();
if (folder !== null) recordAnswers(folder);
