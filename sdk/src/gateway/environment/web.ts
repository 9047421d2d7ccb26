import { webEnvironment } from '../../core/web-environment.js';

export const environment = webEnvironment;
