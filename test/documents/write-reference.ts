import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../architecture/source-files.ts';
import { fillPage, generateReference } from './generated-parts.ts';
import { listPages, pageText } from './read-pages.ts';

/** `npm run docs`: updates the generated parts of docs/ and the types of the client. */
const { parts, files } = await generateReference();
const write = (path: string, after: string): void => {
  if (after === pageText(path)) return;
  writeFileSync(join(projectRoot(), path), after);
  console.log(`${path} is up to date`);
};
for (const page of listPages('docs')) write(page, fillPage(pageText(page), parts));
for (const [path, text] of files) write(path, text);
