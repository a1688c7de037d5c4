import { othersGoFirst } from '../../kernel/internal-api.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';
import type { ApiAnswer, ApiBody, ApiDocument, ApiOperation } from './api-document.ts';
import { curlExample } from './curl-example.ts';
import { type Html, html } from './html-text.ts';
import { operationsOf, type PlacedOperation } from './operation-list.ts';
import { framePage } from './page-frame.ts';
import { memberRows, type Piece, typeWords } from './schema-words.ts';

/** The document as a page to read. Pauses after each plugin, so that other requests can continue. */
export const referencePage = async (document: ApiDocument): Promise<string> => {
  const { info, tags, components } = document;
  const sections: Html[] = [];
  for (const { name, description } of tags) {
    sections.push(html`<h2 id="${tagAnchor(name)}">${name}</h2>
<p>${description}.</p>
${operationsOf(document, name).map((placed) => operationSection(document, placed))}`);
    await othersGoFirst();
  }
  return framePage(
    `${info.title}: API reference`,
    html`<h1>${info.title}: API reference</h1>
<p>Version ${info.version}. The same for programs: <a href="openapi.json">OpenAPI 3.1</a>.</p>
${info.description.split('\n\n').map((text) => html`<p>${marked(text)}</p>\n`)}
<nav aria-label="Contents">
${tags.map(({ name }) => contentsOf(document, name))}
<p><a href="#schemas">Shared schemas</a> · <a href="#problems">Problems</a></p>
</nav>
<main>
${sections}
<h2 id="schemas">Shared schemas</h2>
${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
<h2 id="problems">Problems</h2>
${problemTable(components.responses['Problem'])}
</main>`,
  );
};

const contentsOf = (document: ApiDocument, tag: string): Html =>
  html`<details><summary>${tag}</summary><ul>
<li><a href="#${tagAnchor(tag)}">The plugin ${tag}</a></li>
${operationsOf(document, tag).map(
  ({ method, path, operation }) =>
    html`<li><a href="#${operation.operationId}"><code>${method} ${path}</code></a></li>\n`,
)}</ul></details>
`;

const operationSection = (document: ApiDocument, { method, path, operation }: PlacedOperation): Html => {
  const { operationId, summary, description = '', requestBody, responses } = operation;
  return html`<section>
<h3 id="${operationId}"><code>${method} ${path}</code></h3>
<p>${summary}. ${description}</p>
${inputTable(operation, requestBody)}
<pre><code>${curlExample(document, method.toLowerCase(), path, operation)}</code></pre>
${Object.entries(responses).map(([status, answer]) => ('$ref' in answer ? '' : answerBlock(status, answer)))}
</section>
`;
};

const inputTable = ({ parameters = [] }: ApiOperation, body: ApiBody | undefined): Html => {
  const rows = [
    ...parameters.map(({ in: place, name, required = false, schema, description = '' }) =>
      row(place, html`<code>${name}</code>`, words(schema), presence(schema['default'], required), marked(description)),
    ),
    ...bodyRows(body),
  ];
  return rows.length === 0 ? html`` : table(['in', 'name', 'accepts', 'default', 'meaning'], rows);
};

const bodyRows = (body: ApiBody | undefined): readonly Html[] => {
  const schema = Object.values(body?.content ?? {})[0]?.schema;
  if (body === undefined || schema === undefined) return [];
  const [place, shown] = schema['type'] === 'array' ? ['each item', schema['items'] as JsonSchema] : ['body', schema];
  const rows = memberRows(shown);
  if (rows.length === 0) return [row(place, '', words(shown), body.required ? 'required' : 'optional', '')];
  return rows.map(({ name, words: pieces, isRequired, fallback, description }) =>
    row(place, html`<code>${name}</code>`, linked(pieces), presence(fallback, isRequired), marked(description)),
  );
};

const presence = (fallback: unknown, isRequired: boolean): string => {
  if (fallback !== undefined) return JSON.stringify(fallback);
  return isRequired ? 'required' : 'optional';
};

const answerBlock = (status: string, { description, content = {}, headers = {} }: ApiAnswer): Html => {
  const { 'application/json': json, ...others } = content;
  const types = Object.keys(others);
  const form = types.length === 0 ? '' : ` (${types.join(' or ')})`;
  return html`<p><strong>${status}</strong> ${description}${form}.${Object.entries(headers).map(
    ([name, header]) => html` <code>${name}</code>: ${marked(header.description)}`,
  )}</p>
${json === undefined ? '' : membersTable(json.schema)}
`;
};

const membersTable = (schema: JsonSchema): Html => {
  const rows = memberRows(schema);
  const whole = html`<p>${words(schema)}.</p>`;
  if (rows.length === 0) return whole;
  const members = table(
    ['member', 'is', 'presence', 'meaning'],
    rows.map(({ name, words: pieces, isRequired, description }) =>
      row(html`<code>${name}</code>`, linked(pieces), isRequired ? 'always' : 'optional', marked(description)),
    ),
  );
  return 'allOf' in schema ? html`${whole}${members}` : members;
};

const schemaSection = (name: string, schema: JsonSchema): Html =>
  html`<section>\n<h3 id="${schemaAnchor(name)}">${name}</h3>\n${membersTable(schema)}\n</section>\n`;

const problemTable = (problem: ApiAnswer | undefined): Html =>
  table(
    ['status', 'code', 'means'],
    (problem?.['x-error-codes'] ?? []).map(({ status, code, summary }) =>
      row(String(status), html`<code>${code}</code>`, summary),
    ),
  );

const words = (schema: JsonSchema): Html => linked(typeWords(schema));

const linked = (pieces: readonly Piece[]): Html =>
  html`${pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    if ('code' in piece) return html`<code>${piece.code}</code>`;
    return html`<a href="#${schemaAnchor(piece.schema)}">${piece.schema}</a>`;
  })}`;

/** Shows text between back quotes as code. */
const marked = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;

const table = (names: readonly string[], rows: readonly Html[]): Html =>
  html`<div class="scroll"><table>
<thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}</tbody></table></div>`;

const row = (...cells: readonly (string | Html)[]): Html =>
  html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;

const tagAnchor = (tag: string): string => `plugin-${tag}`;
const schemaAnchor = (name: string): string => `schema-${name}`;
