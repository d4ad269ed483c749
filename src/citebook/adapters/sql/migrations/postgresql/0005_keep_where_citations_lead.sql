-- Where a citation leads, and whether an answer was one, so that a history shows what the answer showed.

ALTER TABLE chat_messages ADD COLUMN outcome VARCHAR(20) CHECK (outcome IN ('answered', 'refused'));
ALTER TABLE source_citations ADD COLUMN section_title TEXT CHECK (LENGTH(section_title) <= 1000);
ALTER TABLE source_citations ADD COLUMN page INT CHECK (page > 0);
ALTER TABLE source_citations ADD COLUMN url TEXT CHECK (LENGTH(url) <= 2000);
