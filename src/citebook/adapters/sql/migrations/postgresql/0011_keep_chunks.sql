-- The text of each chunk of a book with its place in it, also after it has left the book: what an answer rested on can
-- then be read again. A chunk is its text: the same id is the same text in every edition.

CREATE TABLE book_chunks (
    book TEXT NOT NULL CHECK (LENGTH(book) > 0),  -- the name of its collection
    chunk_id CHAR(64) NOT NULL,
    parent_document_id TEXT NOT NULL CHECK (LENGTH(parent_document_id) > 0),  -- the chapter
    start_page INTEGER,  -- NULL where the source has no pages
    end_page INTEGER CHECK (end_page >= start_page),
    start_sentence INTEGER NOT NULL CHECK (start_sentence >= 0),
    end_sentence INTEGER NOT NULL CHECK (end_sentence >= start_sentence),
    text TEXT NOT NULL CHECK (LENGTH(text) > 0),
    metadata JSONB NOT NULL,
    added_at TIMESTAMPTZ NOT NULL,
    removed_at TIMESTAMPTZ,  -- NULL while the book has it

    PRIMARY KEY (book, chunk_id)
);

CREATE INDEX idx_book_chunks_chunk ON book_chunks(chunk_id);
CREATE INDEX idx_book_chunks_document ON book_chunks(book, parent_document_id);
CREATE INDEX idx_book_chunks_removed ON book_chunks(removed_at) WHERE removed_at IS NOT NULL;

-- Which edition of each book the table holds whole.
CREATE TABLE book_chunk_editions (
    book TEXT NOT NULL PRIMARY KEY,
    edition TEXT NOT NULL,
    kept_at TIMESTAMPTZ NOT NULL
);
