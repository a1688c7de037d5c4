import { ServiceError } from '../../../kernel/plugin-api.ts';

/** Thrown when new facts affect a page after it was checked. The caller checks the page again. */
export class PageOutdated extends ServiceError {
  constructor() {
    super('unavailable', 'facts with the same ids arrive at this moment; send these again', {
      headers: { 'Retry-After': '1' },
    });
  }
}
