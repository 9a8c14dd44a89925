// Reads Python's pickles, protocols 0 to 5, without running anything: the opcodes build data on a stack (PEP 307, 3154,
// 574), names of classes stay names. Limits keep a hostile file from growing without bound.
import { ByteReader } from './chunks.js';
import {
  build,
  construct,
  MAX_ENTRIES,
  type PickleMap,
  PickleObject,
  type PickleValue,
} from './pickle-values.js';

export interface PickleOptions {
  /**
   * Called whenever a dictionary got items. It may replace its values or clear them, which is how a file that would
   * fill the memory is read: keep what is wanted, drop the rest at once.
   */
  readonly filled?: (dictionary: PickleMap) => void;
  /** Values that wait on the stack; opened marks. */
  readonly maxDepth?: number;
  /** Values that are remembered for later reference. */
  readonly maxMemo?: number;
  /** Lists, dictionaries, sets and objects. */
  readonly maxContainers?: number;
  /** Elements of arrays, and of collections made of others. */
  readonly maxElements?: number;
}

const DEFAULTS = { maxDepth: 2 ** 20, maxMemo: 2 ** 27, maxContainers: 2 ** 24, maxElements: 2 ** 27 };

/** The longest text or array of bytes. */
const MAX_ITEM_BYTES = 2 ** 28;
/** The longest line of protocol 0. */
const MAX_LINE_BYTES = 2 ** 20;
/** Digits of a whole number are worth a square of their count in work. */
const MAX_INTEGER_BYTES = 1024;
/** How far beyond its end the memo grows at once; Python 2 counted from 1. */
const MEMO_GAP = 16;
const MEMO_CHUNK = 2 ** 16;
const KNOWN_TEXTS = 4096;
const MAX_KNOWN_TEXT = 48;
const HIGHEST_PROTOCOL = 5;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * One pickle after another from the same bytes.
 *
 * @example
 * const value = new PickleReader([bytes]).read();
 */
export class PickleReader {
  readonly #in: ByteReader;
  readonly #options: Required<Omit<PickleOptions, 'filled'>>;
  readonly #filled: PickleOptions['filled'];
  /** Short texts that were read, each kept once: keys are the same in every dictionary. */
  readonly #texts: string[] = new Array(KNOWN_TEXTS).fill('');
  #stack: PickleValue[] = [];
  /** The height of the stack at each mark. */
  #marks: number[] = [];
  #memo: (PickleValue | undefined)[][] = [];
  #memoSize = 0;
  #containers = 0;
  #elements = 0;

  constructor(chunks: Iterable<Uint8Array>, options: PickleOptions = {}) {
    this.#in = new ByteReader(chunks, 'PICKLE');
    this.#options = { ...DEFAULTS, ...options };
    this.#filled = options.filled;
  }

  /** The value of the next pickle. */
  read(): PickleValue {
    this.#stack = [];
    this.#marks = [];
    this.#memo = [];
    this.#memoSize = 0;
    this.#containers = 0;
    this.#elements = 0;
    while (this.#step());
    return this.#pop();
  }

  /** Does what the next opcode says; false after the last. */
  #step(): boolean {
    const stream = this.#in;
    const code = stream.uint8();
    switch (code) {
      case 0x80: // PROTO
        if (stream.uint8() > HIGHEST_PROTOCOL) {
          throw stream.error('UNSUPPORTED', `the pickle's protocol is later than ${HIGHEST_PROTOCOL}`);
        }
        break;
      case 0x95: // FRAME
        stream.uint64();
        break;
      case 0x2e: // STOP
        return false;

      case 0x28: // MARK
        if (this.#marks.length >= this.#options.maxDepth) throw this.#limit('nests too deeply');
        this.#marks.push(this.#stack.length);
        break;
      case 0x30: // POP
        if (this.#marks.at(-1) === this.#stack.length) this.#marks.pop();
        else this.#pop();
        break;
      case 0x31: // POP_MARK
        this.#popMark();
        break;
      case 0x32: // DUP
        this.#push(this.#top());
        break;

      case 0x4e: // NONE
        this.#push(null);
        break;
      case 0x88: // NEWTRUE
        this.#push(true);
        break;
      case 0x89: // NEWFALSE
        this.#push(false);
        break;
      case 0x4b: // BININT1
        this.#push(stream.uint8());
        break;
      case 0x4d: // BININT2
        this.#push(stream.uint16());
        break;
      case 0x4a: // BININT
        this.#push(stream.int32());
        break;
      case 0x8a: // LONG1
        this.#push(this.#integer(stream.uint8()));
        break;
      case 0x8b: // LONG4
        this.#push(this.#integer(stream.int32()));
        break;
      case 0x47: // BINFLOAT
        this.#push(stream.double());
        break;
      case 0x49: // INT
      case 0x4c: // LONG
        this.#push(this.#decimal(this.#line()));
        break;
      case 0x46: // FLOAT
        this.#push(this.#float(this.#line()));
        break;

      case 0x8c: // SHORT_BINUNICODE
        this.#push(this.#text(stream.uint8()));
        break;
      case 0x58: // BINUNICODE
        this.#push(this.#text(stream.uint32()));
        break;
      case 0x8d: // BINUNICODE8
        this.#push(this.#text(stream.uint64()));
        break;
      case 0x56: // UNICODE
        this.#push(rawUnicode(this.#line()));
        break;
      case 0x53: // STRING
        this.#push(this.#quoted(this.#line()));
        break;
      case 0x55: // SHORT_BINSTRING
        this.#push(this.#byteText(stream.uint8()));
        break;
      case 0x54: // BINSTRING
        this.#push(this.#byteText(stream.int32()));
        break;
      case 0x43: // SHORT_BINBYTES
        this.#push(this.#bytes(stream.uint8()));
        break;
      case 0x42: // BINBYTES
        this.#push(this.#bytes(stream.uint32()));
        break;
      case 0x8e: // BINBYTES8
      case 0x96: // BYTEARRAY8
        this.#push(this.#bytes(stream.uint64()));
        break;
      case 0x98: // READONLY_BUFFER
        this.#top();
        break;

      case 0x5d: // EMPTY_LIST
        this.#push(this.#counted([]));
        break;
      case 0x29: // EMPTY_TUPLE
        this.#push(this.#counted([]));
        break;
      case 0x7d: // EMPTY_DICT
        this.#push(this.#counted(new Map()));
        break;
      case 0x8f: // EMPTY_SET
        this.#push(this.#counted(new Set()));
        break;
      case 0x6c: // LIST
      case 0x74: // TUPLE
        this.#push(this.#counted(this.#popMark()));
        break;
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: // TUPLE3
        this.#push(this.#counted(this.#popMany(code - 0x84)));
        break;
      case 0x64: // DICT
        this.#dictionary();
        break;
      case 0x91: // FROZENSET
        this.#push(this.#counted(this.#setOf(new Set(), this.#popMark())));
        break;
      case 0x61: // APPEND
        this.#append([this.#pop()]);
        break;
      case 0x65: // APPENDS
        this.#append(this.#popMark());
        break;
      case 0x73: // SETITEM
        this.#setItems(this.#popMany(2));
        break;
      case 0x75: // SETITEMS
        this.#setItems(this.#popMark());
        break;
      case 0x90: {
        // ADDITEMS
        const items = this.#popMark();
        const target = this.#top();
        if (target instanceof Set) this.#setOf(target, items);
        else if (!(target instanceof PickleObject))
          throw this.#malformed('items are added to a value that is not a set');
        break;
      }

      case 0x71: // BINPUT
        this.#put(stream.uint8());
        break;
      case 0x72: // LONG_BINPUT
        this.#put(stream.uint32());
        break;
      case 0x70: // PUT
        this.#put(this.#index(this.#line()));
        break;
      case 0x94: // MEMOIZE
        this.#put(this.#memoSize);
        break;
      case 0x68: // BINGET
        this.#get(stream.uint8());
        break;
      case 0x6a: // LONG_BINGET
        this.#get(stream.uint32());
        break;
      case 0x67: // GET
        this.#get(this.#index(this.#line()));
        break;

      case 0x63: // GLOBAL
        this.#global(this.#line(), this.#line());
        break;
      case 0x93: {
        // STACK_GLOBAL
        const [module, name] = this.#popMany(2);
        if (typeof module !== 'string' || typeof name !== 'string')
          throw this.#malformed('a name is not a text');
        this.#global(module, name);
        break;
      }
      case 0x52: // REDUCE
      case 0x81: {
        // NEWOBJ
        const [callable, args] = this.#popMany(2);
        this.#push(this.#counted(construct(callable!, args!, this.#spend)));
        break;
      }
      case 0x92: {
        // NEWOBJ_EX
        const [callable, args, named] = this.#popMany(3);
        const isNamed = named instanceof Map && named.size > 0;
        this.#push(this.#counted(construct(callable!, isNamed ? [args!, named] : args!, this.#spend)));
        break;
      }
      case 0x69: {
        // INST
        this.#global(this.#line(), this.#line());
        const name = this.#pop();
        this.#push(this.#counted(construct(name, this.#popMark(), this.#spend)));
        break;
      }
      case 0x6f: {
        // OBJ
        const [callable, ...args] = this.#popMark();
        if (callable === undefined) throw this.#malformed('an object has no class');
        this.#push(this.#counted(construct(callable, args, this.#spend)));
        break;
      }
      case 0x62: {
        // BUILD
        const state = this.#pop();
        build(this.#top(), state, this.#spend);
        break;
      }
      case 0x50: // PERSID
        this.#push(this.#counted(new PickleObject('persistent', [this.#line()])));
        break;
      case 0x51: // BINPERSID
        this.#push(this.#counted(new PickleObject('persistent', [this.#pop()])));
        break;
      case 0x82: // EXT1
      case 0x83: // EXT2
      case 0x84: // EXT4
        throw stream.error(
          'UNSUPPORTED',
          'the pickle needs a registry of extensions that is not in the file',
        );
      case 0x97: // NEXT_BUFFER
        throw stream.error('UNSUPPORTED', 'the pickle needs buffers that are not in the file');
      default:
        throw this.#malformed(`unknown opcode 0x${code.toString(16).padStart(2, '0')}`, NO_PICKLE);
    }
    return true;
  }

  #push(value: PickleValue): void {
    if (this.#stack.length >= this.#options.maxDepth) throw this.#limit('keeps too many values waiting');
    this.#stack.push(value);
  }

  /** Where the values after the last mark begin. */
  get #floor(): number {
    return this.#marks.length === 0 ? 0 : this.#marks[this.#marks.length - 1]!;
  }

  #pop(): PickleValue {
    if (this.#stack.length <= this.#floor) throw this.#malformed('it pops a value from an empty stack');
    return this.#stack.pop()!;
  }

  #popMany(count: number): PickleValue[] {
    if (this.#stack.length - count < this.#floor) throw this.#malformed('it pops values from an empty stack');
    return this.#stack.splice(this.#stack.length - count, count);
  }

  #popMark(): PickleValue[] {
    const from = this.#marks.pop();
    if (from === undefined) throw this.#malformed('it pops to a mark that does not exist');
    return this.#stack.splice(from);
  }

  #top(): PickleValue {
    if (this.#stack.length <= this.#floor) throw this.#malformed('it reads a value from an empty stack');
    return this.#stack[this.#stack.length - 1]!;
  }

  #counted<T extends PickleValue>(value: T): T {
    if (++this.#containers > this.#options.maxContainers) throw this.#limit('has too many objects');
    return value;
  }

  readonly #spend = (count: number): void => {
    this.#elements += count;
    if (this.#elements > this.#options.maxElements) throw this.#limit('has too many elements');
  };

  #put(index: number): void {
    const value = this.#top();
    if (index > this.#memoSize + MEMO_GAP) throw this.#malformed('it remembers values out of order');
    if (index >= this.#options.maxMemo) throw this.#limit('remembers too many values');
    while (this.#memo.length * MEMO_CHUNK <= index) this.#memo.push([]);
    this.#memo[Math.floor(index / MEMO_CHUNK)]![index % MEMO_CHUNK] = value;
    if (index >= this.#memoSize) this.#memoSize = index + 1;
  }

  #get(index: number): void {
    const value = this.#memo[Math.floor(index / MEMO_CHUNK)]?.[index % MEMO_CHUNK];
    if (value === undefined) throw this.#malformed('it refers to a value that was not remembered');
    this.#push(value);
  }

  #append(items: readonly PickleValue[]): void {
    const target = this.#top();
    if (Array.isArray(target)) for (const item of items) target.push(item);
    else if (!(target instanceof PickleObject))
      throw this.#malformed('items are appended to a value that is not a list');
  }

  #setItems(items: readonly PickleValue[]): void {
    const top = this.#top();
    const target = top instanceof PickleObject ? top.dictionary() : top;
    if (!(target instanceof Map)) throw this.#malformed('items are set in a value that is not a dictionary');
    if (items.length % 2 === 1) throw this.#malformed('a key has no value');
    if (target.size + items.length / 2 > MAX_ENTRIES) throw this.#limit('has too large a dictionary');
    for (let i = 0; i < items.length; i += 2) target.set(items[i]!, items[i + 1]!);
    this.#filled?.(target);
  }

  #dictionary(): void {
    const items = this.#popMark();
    this.#push(this.#counted(new Map()));
    this.#setItems(items);
  }

  #setOf(target: Set<PickleValue>, items: readonly PickleValue[]): Set<PickleValue> {
    if (target.size + items.length > MAX_ENTRIES) throw this.#limit('has too large a set');
    for (const item of items) target.add(item);
    return target;
  }

  #global(module: string, name: string): void {
    this.#push(this.#counted(new PickleObject(`${module}.${name}`)));
  }

  #bytes(count: number): Uint8Array {
    if (count < 0 || count > MAX_ITEM_BYTES) throw this.#limit(`has a value of ${count} bytes`);
    return this.#in.bytes(count);
  }

  #byteText(count: number): string {
    if (count < 0 || count > MAX_ITEM_BYTES) throw this.#limit(`has a text of ${count} bytes`);
    return latin1(this.#in.view(count));
  }

  #text(count: number): string {
    if (count > MAX_ITEM_BYTES) throw this.#limit(`has a text of ${count} bytes`);
    const bytes = this.#in.view(count);
    if (count > MAX_KNOWN_TEXT) return this.#decode(bytes);
    let hash = count;
    for (let i = 0; i < count; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
    const slot = (hash ^ (hash >>> 12)) & (KNOWN_TEXTS - 1);
    const known = this.#texts[slot]!;
    if (known.length === count && isSame(known, bytes)) return known;
    const text = this.#decode(bytes);
    this.#texts[slot] = text;
    return text;
  }

  #decode(bytes: Uint8Array): string {
    try {
      return utf8.decode(bytes);
    } catch {
      throw this.#malformed('a text is not UTF-8');
    }
  }

  #line(): string {
    return latin1(this.#in.line(MAX_LINE_BYTES));
  }

  #index(line: string): number {
    if (!/^\d{1,10}$/.test(line)) throw this.#malformed('a reference is not a number');
    return Number(line);
  }

  /** Little-endian, two's complement. */
  #integer(count: number): number | bigint {
    if (count < 0 || count > MAX_INTEGER_BYTES) throw this.#limit(`has a number of ${count} bytes`);
    const bytes = this.#in.view(count);
    let value = 0n;
    for (let i = count - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]!);
    return exact(BigInt.asIntN(8 * count, value));
  }

  #decimal(line: string): number | bigint | boolean {
    if (line === '00' || line === '01') return line === '01';
    const digits = /^\s*([-+]?)(\d+)L?\s*$/.exec(line);
    if (!digits || digits[2]!.length > MAX_INTEGER_BYTES) throw this.#malformed('a number is invalid');
    const value = BigInt(digits[2]!);
    return exact(digits[1] === '-' ? -value : value);
  }

  #float(line: string): number {
    const word = line.trim().toLowerCase();
    const special = { nan: Number.NaN, inf: Number.POSITIVE_INFINITY, '-inf': Number.NEGATIVE_INFINITY };
    if (Object.hasOwn(special, word)) return special[word as keyof typeof special];
    const value = /^[-+]?[\d.]+(e[-+]?\d+)?$/.test(word) ? Number(word) : Number.NaN;
    if (Number.isNaN(value)) throw this.#malformed('a number is invalid');
    return value;
  }

  /** A text as Python 2 showed it: within quotes, with escapes. */
  #quoted(line: string): string {
    const inner = /^(['"])(.*)\1$/s.exec(line.trim());
    if (!inner) throw this.#malformed('a text is not within quotes');
    return inner[2]!.replace(/\\(x[\da-fA-F]{2}|.)/gs, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (ESCAPES[code] ?? code),
    );
  }

  #malformed(problem: string, hint?: string): Error {
    return this.#in.error('MALFORMED', `the pickle is damaged: ${problem}`, hint);
  }

  #limit(problem: string): Error {
    return this.#in.error('LIMIT', `the pickle ${problem}`);
  }
}

const NO_PICKLE = 'is it a pickle at all?';
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0' };

function isSame(text: string, bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++)
    if (text.charCodeAt(i) !== bytes[i] || bytes[i]! > 0x7f) return false;
  return true;
}

/** TextDecoder's latin1 is windows-1252. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) {
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return text;
}

function exact(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

function rawUnicode(line: string): string {
  return line.replace(/\\u([\da-fA-F]{4})|\\U([\da-fA-F]{8})/g, (all, short?: string, long?: string) => {
    const code = Number.parseInt((short ?? long)!, 16);
    return code > 0x10ffff ? all : String.fromCodePoint(code);
  });
}
