import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The vocabulary of the model; every other token is unknown. */
const WORDS = '[PAD] [UNK] [CLS] [SEP] search _ document query : a short text that is long'.split(' ');
export const TINY_DIMENSIONS = 8;

/** Returns the state of a token: a row of the only table in the model. */
export const tinyState = (word: string): number[] => {
  const row = Math.max(WORDS.indexOf(word), WORDS.indexOf('[UNK]'));
  return Array.from({ length: TINY_DIMENSIONS }, (_, at) => Math.sin((row * TINY_DIMENSIONS + at) * 1.7) + 0.1);
};

/**
 * Writes a folder with a real ONNX model and a real tokenizer, a few kilobytes in the layout of nomic-embed-text-v1.5.
 */
export const writeTinyModel = async (folder: string): Promise<void> => {
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx', 'model.onnx'), tinyOnnx());
  const json = (name: string, content: unknown) => writeFile(join(folder, name), JSON.stringify(content));
  await json('config.json', { model_type: 'bert', hidden_size: TINY_DIMENSIONS, architectures: ['BertModel'] });
  await json('tokenizer.json', TOKENIZER);
  const special = { pad_token: '[PAD]', unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]' };
  await json('tokenizer_config.json', { tokenizer_class: 'BertTokenizer', model_max_length: 64, ...special });
};

const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: WORDS.slice(0, 4).map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
    },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

/** A graph of one node, `last_hidden_state = Gather(table, input_ids)`, as ONNX spells it in protocol buffers. */
const tinyOnnx = (): Buffer => {
  const table = Float32Array.from(WORDS.flatMap(tinyState));
  const tensor = [number(1, WORDS.length), number(1, TINY_DIMENSIONS), number(2, FLOAT), text(8, 'table')];
  const node = [text(1, 'table'), text(1, 'input_ids'), text(2, 'last_hidden_state'), text(4, 'Gather')];
  const graph = [
    message(1, node),
    text(2, 'tiny'),
    message(5, [...tensor, field(9, Buffer.from(table.buffer))]),
    valueInfo(11, 'input_ids', INT64, ['texts', 'tokens']),
    valueInfo(11, 'attention_mask', INT64, ['texts', 'tokens']),
    valueInfo(12, 'last_hidden_state', FLOAT, ['texts', 'tokens', TINY_DIMENSIONS]),
  ];
  return Buffer.concat([number(1, IR_VERSION), message(7, graph), message(8, [text(1, ''), number(2, OPSET)])]);
};

const IR_VERSION = 8;
const OPSET = 13;
const FLOAT = 1;
const INT64 = 7;

const valueInfo = (place: number, name: string, type: number, shape: readonly (string | number)[]): Buffer => {
  const dimensions = shape.map((size) => message(1, [typeof size === 'number' ? number(1, size) : text(2, size)]));
  const tensorType = message(1, [number(1, type), message(2, dimensions)]);
  return message(place, [text(1, name), message(2, [tensorType])]);
};

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
};

const number = (place: number, value: number): Buffer => Buffer.concat([varint(place * 8), varint(value)]);
const field = (place: number, bytes: Buffer): Buffer =>
  Buffer.concat([varint(place * 8 + 2), varint(bytes.length), bytes]);
const text = (place: number, value: string): Buffer => field(place, Buffer.from(value));
const message = (place: number, fields: readonly Buffer[]): Buffer => field(place, Buffer.concat(fields));
