/** What a value of JSON turns out to be. Nothing that a server sends is believed before it was looked at here. */

type NameIn<Shapes> = Shapes extends unknown ? keyof Shapes : never

/** JSON that should have one of these shapes: their names are known, the types of its values are not. */
export type Unchecked<Shapes> = { readonly [Name in NameIn<Shapes>]?: unknown }

/** The fields of an object; none where it is anything else. */
export function fieldsOf<Shapes>(value: unknown): Unchecked<Shapes> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

export function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

/** A number from 0 to 1. */
export function share(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** A time that JSON tells as text. */
export function time(value: unknown): Date | undefined {
  const told = new Date(text(value) ?? '')
  return Number.isNaN(told.getTime()) ? undefined : told
}

/** The same without the fields that are undefined. */
export function withoutMissing<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}
