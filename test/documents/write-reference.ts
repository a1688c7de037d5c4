import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../architecture/source-files.ts';
import { fillPage, generateParts } from './generated-parts.ts';
import { listPages, pageText } from './read-pages.ts';

/** `npm run docs`: brings the generated parts of docs/ up to date. */
const parts = await generateParts();
for (const page of listPages('docs')) {
  const before = pageText(page);
  const after = fillPage(before, parts);
  if (after === before) continue;
  writeFileSync(join(projectRoot(), page), after);
  console.log(`${page} is up to date`);
}
