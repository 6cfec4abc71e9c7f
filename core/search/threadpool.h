// The threads of a search, shared by its chains.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"
#include "search/climber.h"
#include "search/individual.h"

namespace forebear {

/// A climber that is reused as long as the sets are the same, because it is large.
class Workspace {
public:
    Climber& climber(const std::shared_ptr<const OrderSets>& sets) {
        if (!climber_ || &climber_->sets() != sets.get()) {
            climber_.reset();  // first: there may not be memory for two
            climber_ = std::make_unique<Climber>(sets);
        }
        return *climber_;
    }

private:
    std::unique_ptr<Climber> climber_;
};

struct Job {
    std::function<Individual(Workspace&, const Budget&)> work;
    bool always = false;  ///< even if the budget is spent
};

/// Jobs that were submitted together, and their results.
class Batch {
public:
    explicit Batch(std::vector<Job> jobs) : jobs_(std::move(jobs)), results_(jobs_.size()) {}

private:
    friend class ThreadPool;
    std::vector<Job> jobs_;
    std::vector<IndividualPtr> results_;
    size_t begun_ = 0, ended_ = 0;
    bool dropped_ = false;
    std::exception_ptr error_;
    std::condition_variable done_;
};

/// Threads that work on the jobs of several queues, one queue per chain. Each queue has its share
/// of the threads, so that there are not many more climbers than threads.
///
/// Jobs of a batch may run at any time and on any thread, so their results must not depend on that.
class ThreadPool {
public:
    class Queue {
        friend class ThreadPool;
        std::deque<std::shared_ptr<Batch>> batches_;  // with jobs that have not begun
        std::vector<std::unique_ptr<Workspace>> idle_;
        int busy_ = 0;
        bool open_ = true;
    };

    ThreadPool(int threads, std::shared_ptr<const Budget> budget);
    ~ThreadPool() { shut(); }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Ends all threads after their current jobs.
    void shut();
    std::shared_ptr<Queue> open();
    /// Gives the queue's share of the threads to the other queues. Its jobs are dropped.
    void close(Queue& queue);
    void submit(Queue& queue, std::shared_ptr<Batch> batch);
    /// Waits until all jobs have ended. Results are in the order of the jobs; null if the budget was
    /// spent. Rethrows the first exception of a job.
    std::vector<IndividualPtr> wait(Batch& batch);
    /// Drops the jobs that have not begun. `wait` must not be called afterwards.
    void drop(Batch& batch);

private:
    void run();
    std::shared_ptr<Queue> find_work();
    bool has_work(Queue& queue) const;
    int share() const;

    std::shared_ptr<const Budget> budget_;
    int threads_count_;
    std::mutex mutex_;
    std::condition_variable work_;
    std::vector<std::shared_ptr<Queue>> queues_;
    size_t next_queue_ = 0;
    bool closing_ = false;
    std::vector<JoinedThread> threads_;
};

}  // namespace forebear
